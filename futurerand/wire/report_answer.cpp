#include "futurerand/wire/report_answer.hpp"

#include <algorithm>

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_text.hpp"

namespace futurerand {
namespace {

void put_error(std::string& out, const LineError& error) {
  out += "{\"line\":";
  put_number(out, std::uint64_t{error.line});
  out += ",\"reason\":";
  put_text(out, error.reason);
  if (error.expected != 0) {
    out += ",\"expected\":";
    put_number(out, std::uint64_t{error.expected});
  }
  if (!error.message.empty()) {
    out += ",\"message\":";
    put_text(out, error.message);
  }
  out += '}';
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
  std::string out = "{\"accepted\":";
  put_number(out, answer.counts.accepted);
  out += ",\"duplicates\":";
  put_number(out, answer.counts.duplicates);
  out += ",\"rejected\":";
  put_number(out, answer.counts.rejected);
  out += ",\"early\":";
  put_number(out, answer.counts.early);
  out += ",\"errors\":[";
  for (std::size_t i = 0; i < listed; ++i) {
    if (i > 0) out += ',';
    put_error(out, answer.errors[i]);
  }
  out += ']';
  if (not_shown > 0) {
    out += ",\"errors_not_shown\":";
    put_number(out, not_shown);
  }
  return out + '}';
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
