#include "futurerand/wire/error_answer.hpp"

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand {

std::string to_json(const ErrorAnswer& answer) {
  JsonWriter json;
  json.begin_object().key("error").begin_object();
  json.member("code", answer.code).member("message", answer.message);
  return std::move(json.end_object().end_object()).take();
}

Result<ErrorAnswer> parse_error_answer(std::string_view json) {
  const Result<nlohmann::json> parsed = parse_json_object(json, "the answer");
  if (!parsed) return parsed.error();
  JsonObject outer(*parsed, "the answer");
  JsonObject object(outer.object("error"), "the answer");
  ErrorAnswer answer{object.text("code"), object.text("message")};
  if (outer.error()) return *outer.error();
  if (object.error()) return *object.error();
  return answer;
}

bool may_succeed_later(int status) { return status == 429 || status == 408 || status >= 500; }

Error error_of_status(int status, std::string_view body) {
  ErrorCode code = status >= 400 ? ErrorCode::kInvalid : ErrorCode::kUntrusted;
  if (status == 401 || status == 403 || status == 407) code = ErrorCode::kUnauthorized;
  if (status == 404) code = ErrorCode::kNotFound;
  if (may_succeed_later(status)) code = ErrorCode::kUnreachable;
  const std::string message = "the collector answered " + std::to_string(status);
  const Result<ErrorAnswer> answer = parse_error_answer(body);
  return {answer ? message + ": " + answer->message : message, code};
}

}  // namespace futurerand
