// Answers of the collector that both sides know are written, and read back.
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/wire/error_answer.hpp"
#include "futurerand/wire/estimates_document.hpp"
#include "futurerand/wire/report_answer.hpp"
#include "futurerand/wire/sums_document.hpp"

namespace futurerand {
namespace {

TEST(ReportAnswer, ComesBack) {
  const ReportAnswer answer{{2, 1, 2},
                            {{3, "gap", 7, ""}, {9, "malformed", 0, "the line is \"\xff\""}}};
  const std::string text = to_json(answer);
  EXPECT_EQ(text,
            "{\"accepted\":2,\"duplicates\":1,\"rejected\":2,\"early\":0,\"errors\":["
            "{\"line\":3,\"reason\":\"gap\",\"expected\":7},"
            "{\"line\":9,\"reason\":\"malformed\",\"message\":\"the line is \\\"\ufffd\\\"\"}]}");
  const Result<ReportAnswer> read = parse_report_answer(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->counts.rejected, 2U);
  ASSERT_EQ(read->errors.size(), 2U);
  EXPECT_EQ(read->errors[0].expected, 7U);
  EXPECT_EQ(read->errors[1].reason, "malformed");
}

TEST(ReportAnswer, ListsAThousandErrors) {
  ReportAnswer answer;
  for (std::uint32_t line = 1; line <= 1234; ++line) answer.errors.push_back({line, "closed"});
  const std::string text = to_json(answer);
  EXPECT_TRUE(text.ends_with("],\"errors_not_shown\":234}")) << text.substr(text.size() - 40);
  EXPECT_EQ(parse_report_answer(text)->errors.size(), 1000U);
}

TEST(ReportAnswer, RefusesOtherDocuments) {
  for (const char* text : {"", "[]", "{}", R"({"accepted":1,"duplicates":0,"rejected":0})",
                           R"({"accepted":-1,"duplicates":0,"rejected":0,"errors":[]})",
                           R"({"accepted":1,"duplicates":0,"rejected":0,"errors":[1]})",
                           R"({"accepted":1,"duplicates":0,"rejected":0,"errors":[{"line":1}]})"}) {
    EXPECT_FALSE(parse_report_answer(text)) << text;
  }
}

TEST(ErrorAnswer, ComesBack) {
  const Result<ErrorAnswer> read = parse_error_answer(to_json(ErrorAnswer{"busy", "a \"b\"\n"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->code, "busy");
  EXPECT_EQ(read->message, "a \"b\"\n");
  for (const char* text : {"", "<html>", "{}", R"({"error":1})", R"({"error":{"code":"x"}})"}) {
    EXPECT_FALSE(parse_error_answer(text)) << text;
  }
}

TEST(EstimatesDocument, ComesBackWithWhatIsNotKnown) {
  const EstimatesDocument document{"m",
                                   3,
                                   "online",
                                   0.95,
                                   "pointwise",
                                   "none",
                                   {{1, 1.5, 0.1, -2, 1e300, 3, 4}, {2, NAN, NAN, NAN, NAN, 0, 4}}};
  const std::string text = to_json(document);
  EXPECT_NE(text.find("\"estimate\":null"), std::string::npos);
  const Result<EstimatesDocument> read = parse_estimates(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->periods[0].estimate, 1.5);
  EXPECT_TRUE(std::isnan(read->periods[1].upper));
  EXPECT_EQ(to_csv(document.periods),
            "period,estimate,stddev,lower,upper,reports,expected\n1,1.5,0.1,-2,1e+300,3,4\n"
            "2,,,,,0,4\n");
  EXPECT_FALSE(parse_estimates(R"({"metric":"m"})"));
}

TEST(EstimatesDocument, SaysThatTranscriptsAreCapped) {
  EstimatesDocument document{"m", 3, "online", 0.95, "pointwise", "none", {}};
  const std::string uncapped = to_json(document);
  EXPECT_EQ(uncapped.find("cap"), std::string::npos);
  EXPECT_FALSE(parse_estimates(uncapped)->transcript_cap);
  document.transcript_cap = {0.0001, 2.5};
  const std::string text = to_json(document);
  const std::string said = R"("transcript_cap":{"rate":1e-04,"bias_at_most":2.5})";
  ASSERT_NE(text.find(said), std::string::npos) << text;
  EXPECT_EQ(parse_estimates(text)->transcript_cap, document.transcript_cap);
  for (const char* bad : {"{}", "true", R"({"rate":"0.1","bias_at_most":2.5})"}) {
    std::string broken = text;
    broken.replace(broken.find(said), said.size(), R"("transcript_cap":)" + std::string(bad));
    EXPECT_FALSE(parse_estimates(broken)) << bad;
  }
}

TEST(SumsDocument, ComesBack) {
  const SumsDocument document{
      "m", 2, 5, {{0, {-1, 2}, {3, 4}, {1, 2}, {5, 0}, {}}, {1, {0}, {1}, {}, {0, 0}, {7}}}};
  const std::string text = to_json(document);
  EXPECT_EQ(text,
            R"({"metric":"m","current_period":2,"devices":5,"views":[)"
            R"({"view":0,"order":0,"sums":[-1,2],"counts":[3,4],"spoken":[1,2],"enrolled":[5,0]},)"
            R"({"view":1,"order":1,"sums":[0],"counts":[1],"enrolled":[0,0],)"
            R"("snapshot_devices":[7]}]})");
  const Result<SumsDocument> read = parse_sums(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->views, document.views);
  EXPECT_FALSE(parse_sums(R"({"metric":"m","current_period":2,"devices":5,"views":[{}]})"));
  std::string negative = text;
  negative.replace(negative.find("[3,4]"), 5, "[-3,4]");
  EXPECT_FALSE(parse_sums(negative));
}

}  // namespace
}  // namespace futurerand
