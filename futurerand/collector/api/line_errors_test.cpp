#include "futurerand/collector/api/line_errors.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(LineErrors, CountsEveryReasonByItsName) {
  ReportAnswer answer;
  for (std::size_t i = 1; i < kNumReasons; ++i) {
    const LineError error{1, std::string(name_of(static_cast<Reason>(i)))};
    answer.errors.insert(answer.errors.end(), i, error);
  }
  answer.errors.push_back({1, "malformed"});
  answer.errors_not_shown = 77;
  LineErrors errors;
  errors.count(answer);
  const std::string text = errors.prometheus();
  const auto expect = [&](std::string_view reason, std::size_t count) {
    const std::string line = "futurerand_line_errors_total{reason=\"" + std::string(reason) +
                             "\"} " + std::to_string(count) + "\n";
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  };
  for (std::size_t i = 1; i < kNumReasons; ++i) expect(name_of(static_cast<Reason>(i)), i);
  expect("malformed", 1);
  expect("too_long", 0);
  expect("not_shown", 77);
}

}  // namespace
}  // namespace futurerand
