// Answers of the collector that both sides know are written, and read back.
#include <gtest/gtest.h>

#include "futurerand/wire/error_answer.hpp"
#include "futurerand/wire/report_answer.hpp"

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

}  // namespace
}  // namespace futurerand
