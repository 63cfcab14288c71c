// ErrorAnswer: the body of every answer that is an error, {"error":{"code":...,"message":...}}.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct ErrorAnswer {
  std::string code;     // a word of docs/http.md
  std::string message;  // what was wrong and what would be right
};

std::string to_json(const ErrorAnswer& answer);
Result<ErrorAnswer> parse_error_answer(std::string_view json);

}  // namespace futurerand
