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

}  // namespace futurerand
