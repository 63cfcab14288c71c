#include "futurerand/collector/api/line_errors.hpp"

#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

// Every reason that a fold can give is counted under its own name.
TEST(LineErrors, CountsEveryReason) {
  LineErrors errors;
  ReportAnswer answer;
  std::uint32_t line = 0;
  for (auto reason = static_cast<std::size_t>(Reason::kNone) + 1;
       reason < static_cast<std::size_t>(Reason::kCount); ++reason) {
    answer.add({++line, std::string(name_of(static_cast<Reason>(reason))), 0, {}});
  }
  for (const char* reason : {"malformed", "too_long"}) answer.add({++line, reason, 0, {}});
  errors.count(answer);
  const std::string text = errors.prometheus();
  for (const LineError& error : answer.errors) {
    EXPECT_NE(text.find("{reason=\"" + error.reason + "\"} 1\n"), std::string::npos)
        << error.reason;
  }
  EXPECT_NE(text.find("{reason=\"not_shown\"} 0\n"), std::string::npos);

  ReportAnswer many;
  many.errors_not_shown = 5;
  errors.count(many);
  EXPECT_NE(errors.prometheus().find("{reason=\"not_shown\"} 5\n"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
