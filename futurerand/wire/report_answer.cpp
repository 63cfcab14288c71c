#include "futurerand/wire/report_answer.hpp"

#include <algorithm>

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand {
namespace {

void put_error(JsonWriter& json, const LineError& error) {
  json.begin_object().member("line", error.line).member("reason", error.reason);
  if (error.expected != 0) json.member("expected", error.expected);
  if (!error.message.empty()) json.member("message", error.message);
  json.end_object();
}

LineError read_error(const nlohmann::json& json, JsonObject& answer) {
  JsonObject object(json, answer.where());
  LineError error{object.integer32("line", 1, UINT32_MAX), object.text("reason")};
  if (object.has("expected")) error.expected = object.integer32("expected", 1, UINT32_MAX);
  if (object.has("message")) error.message = object.text("message");
  if (object.error()) answer.fail("errors: " + object.error()->message);
  return error;
}

}  // namespace

std::string to_json(const ReportAnswer& answer) {
  const std::size_t listed = std::min(answer.errors.size(), ReportAnswer::kMaxErrors);
  const std::uint64_t not_shown = answer.errors_not_shown + (answer.errors.size() - listed);
  JsonWriter json;
  json.begin_object().member("accepted", answer.counts.accepted);
  json.member("duplicates", answer.counts.duplicates).member("rejected", answer.counts.rejected);
  json.member("early", answer.counts.early).key("errors").begin_array();
  for (std::size_t i = 0; i < listed; ++i) put_error(json, answer.errors[i]);
  json.end_array();
  if (not_shown > 0) json.member("errors_not_shown", not_shown);
  return std::move(json.end_object()).take();
}

Result<ReportAnswer> parse_report_answer(std::string_view json) {
  const Result<nlohmann::json> parsed = parse_json_object(json, "the collector's answer");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "the collector's answer");
  ReportAnswer answer{{object.integer("accepted", 0, UINT64_MAX),
                       object.integer("duplicates", 0, UINT64_MAX),
                       object.integer("rejected", 0, UINT64_MAX)}};
  if (object.has("errors_not_shown")) {
    answer.errors_not_shown = object.integer("errors_not_shown", 0, UINT64_MAX);
  }
  if (object.has("early")) answer.counts.early = object.integer("early", 0, UINT64_MAX);
  for (const nlohmann::json& error : object.array("errors")) {
    answer.errors.push_back(read_error(error, object));
  }
  if (object.error()) return *object.error();
  return answer;
}

}  // namespace futurerand
