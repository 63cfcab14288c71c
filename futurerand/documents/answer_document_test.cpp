#include "futurerand/documents/answer_document.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

const AnswerRow kKnown{1, 1.5, 0.25, {-2, 6}, 4, 3, 4};
const AnswerRow kUnknown{2, NAN, NAN, {NAN, NAN}, 0, 0, 4};

Answer answer_with(std::vector<AnswerRow> rows) {
  Answer answer{EstimatorKind::kOnline, Estimand::kActive, 0.95, false, 1, 3, 4};
  answer.rows = std::move(rows);
  answer.counted = "devices";
  answer.assumption = "none";
  return answer;
}

Plan plan() { return *make_plan(Protocol::kInnovation, 8, 2, *Epsilon::parse("1")); }

TEST(AnswerDocument, WritesCsv) {
  const Answer answer = answer_with({kKnown, kUnknown});
  const std::string header =
      "period,from,to,estimate,stddev,lower,upper,share,share_lower,share_upper,reports,expected";
  EXPECT_EQ(to_csv(answer, {}),
            header + "\n1,,,1.5,0.25,-2,6,0.375,-0.5,1.5,3,4\n2,,,,,,,,,,0,4\n");
  constexpr std::int64_t kFebruary28 = 1'772'236'800;  // of 2026
  EXPECT_EQ(to_csv(answer, {{kFebruary28, 86'400}, "UTC"}),
            header +
                ",begins,ends\n"
                "1,2026-02-28T00:00:00Z,2026-03-01T00:00:00Z,1.5,0.25,-2,6,0.375,-0.5,1.5,3,4,"
                "2026-02-28,2026-02-28\n"
                "2,2026-03-01T00:00:00Z,2026-03-02T00:00:00Z,,,,,,,,0,4,2026-03-01,2026-03-01\n");
}

TEST(AnswerDocument, SaysWhenAPeriodIs) {
  const std::string row = to_json(kKnown, {{1'793'595'600, 604'800}, "Europe/Paris"});
  EXPECT_NE(row.find(R"("from":"2026-11-02T05:00:00Z","to":"2026-11-09T05:00:00Z",)"
                     R"("dates":"Nov 2, 2026, 06:00 – Nov 9, 2026, 06:00")"),
            std::string::npos)
      << row;
}

TEST(AnswerDocument, WritesJson) {
  EXPECT_EQ(
      to_json(plan(), answer_with({kKnown, kUnknown}), {"m", true}),
      R"({"metric":"m","plan":{"protocol":"innovation","periods":8,"max_changes":2,"initial":"zero",)"
      R"("epsilon":"1"},"seeded":true,"current_period":3,"devices":4,"estimator":"online",)"
      R"("level":0.95,"band":"pointwise","window":1,"estimand":"active","counted":"devices",)"
      R"("assumption":"none","note":null,"warning":null,"alarm":null,)"
      R"("one_device_moves_at_most":0,"periods":[{"period":1,"from":null,"to":null,"dates":null,)"
      R"("estimate":1.5,"stddev":0.25,"lower":-2,"upper":6,"share":0.375,)"
      R"("share_lower":-0.5,"share_upper":1.5,"reports":3,"expected":4,"devices":4},)"
      R"({"period":2,"from":null,"to":null,"dates":null,"estimate":null,"stddev":null,"lower":null,)"
      R"("upper":null,"share":null,"share_lower":null,"share_upper":null,"reports":0,)"
      R"("expected":4,"devices":0}]})");
}

TEST(AnswerDocument, SaysWhatElseIsKnown) {
  Answer answer = answer_with({});
  answer.cap_bias = 2.5;
  answer.too_noisy = 3;
  answer.alarm = {1, "alarm!"};
  answer.one_device_moves = NAN;
  const std::string text = to_json(plan(), answer, {.as_of = "2026-01-01T00:00:00Z"});
  for (const char* part :
       {R"("metric":null)", R"("as_of":"2026-01-01T00:00:00Z")", R"("alarm":"alarm!")",
        R"("warning":"the estimate is too noisy to be useful)",
        R"("one_device_moves_at_most":null)",
        R"("transcript_cap":{"rate":1e-04,"bias_at_most":2.5})"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
}

TEST(AnswerDocument, RowsComeBack) {
  const std::string text = to_json(plan(), answer_with({kKnown, kUnknown}), {});
  const Result<std::vector<AnswerRow>> rows = parse_answer_rows(text);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(to_json((*rows)[0], {}), to_json(kKnown, {}));
  EXPECT_EQ(to_json((*rows)[1], {}), to_json(kUnknown, {}));
  for (const char* bad : {"", "[]", "{}", R"({"periods":[{}]})", R"({"periods":[1]})"}) {
    EXPECT_FALSE(parse_answer_rows(bad)) << bad;
  }
}

}  // namespace
}  // namespace futurerand
