// ErrorAnswer: the body of every answer that is an error, {"error":{"code":...,"message":...}}, and
// what a device makes of it.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct ErrorAnswer {
  std::string code;     // a word of docs/errors.md
  std::string message;  // what was wrong and what would be right
};

std::string to_json(const ErrorAnswer& answer);
Result<ErrorAnswer> parse_error_answer(std::string_view json);

// Tells whether an answer of this HTTP status asks for a retry.
bool may_succeed_later(int status);
// Returns the error of an answer whose HTTP status is not 200, with the collector's message. No
// status alone makes a device give up, because proxies and portals answer in place of collectors.
Error error_of_status(int status, std::string_view body);

}  // namespace futurerand
