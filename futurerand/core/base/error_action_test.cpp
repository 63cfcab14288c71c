// Each code has one action, as in the table of docs/errors.md.
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "futurerand/core/base/result.hpp"

namespace futurerand {
namespace {

TEST(ErrorAction, IsTheOneOfTheDocs) {
  const std::pair<const char*, ErrorCode> codes[] = {
      {"invalid", ErrorCode::kInvalid},
      {"not_found", ErrorCode::kNotFound},
      {"refused", ErrorCode::kRefused},
      {"damaged", ErrorCode::kDamaged},
      {"no_entropy", ErrorCode::kNoEntropy},
      {"no_room", ErrorCode::kNoRoom},
      {"busy", ErrorCode::kBusy},
      {"unreachable", ErrorCode::kUnreachable},
      {"not_started", ErrorCode::kNotStarted},
      {"unauthorized", ErrorCode::kUnauthorized},
      {"untrusted", ErrorCode::kUntrusted},
  };
  const std::pair<const char*, ErrorAction> actions[] = {
      {"retry later", ErrorAction::kRetryLater},
      {"tell the operator", ErrorAction::kTellOperator},
      {"fix the call", ErrorAction::kFixCall},
      {"give up", ErrorAction::kGiveUp},
  };
  std::ifstream file(FUTURERAND_SOURCE_DIR "/docs/errors.md");
  const std::regex row(R"(\| `(\w+)` \|.*\| ([^|]+) \|)");
  std::map<std::string, std::string> table;
  std::smatch parts;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, parts, row)) table.emplace(parts[1], parts[2]);
  }
  for (const auto& [name, code] : codes) {
    for (const auto& [text, action] : actions) {
      EXPECT_EQ(table[name].starts_with(text), action_of(code) == action) << name;
    }
  }
}

}  // namespace
}  // namespace futurerand
