#include "futurerand/wire/wire.hpp"

#include "futurerand/wire/canonical_line.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/line_form.hpp"
#include "futurerand/wire/plan_json.hpp"

namespace futurerand {
namespace {

// Lines of devices have five members at most. A few more are told which of them is unknown.
constexpr std::size_t kMaxLineValues = 16;

Result<Line> read_header(const nlohmann::json& json) {
  // A later version may have any other keys, so the version is judged first.
  const auto version = json.find("futurerand");
  const auto* number = version->get_ptr<const nlohmann::json::number_unsigned_t*>();
  if (number == nullptr || *number != kWireVersion) {
    return Error{"the line has version " +
                 (number != nullptr ? std::to_string(*number) : std::string("'not a number'")) +
                 " of the format; this program reads version " + std::to_string(kWireVersion)};
  }
  JsonObject object(json, "header", {"futurerand", "plan", "seeded"});
  const nlohmann::json& plan_json = object.object("plan");
  const bool seeded = object.boolean("seeded");
  if (object.error()) return *object.error();
  Result<Plan> plan = read_plan(plan_json);
  if (!plan) return plan.error();
  return Line(Header{*std::move(plan), seeded});
}

ClientId read_client(JsonObject& object) {
  const Result<ClientId> client = parse_client_id(object.text("client"));
  if (client) return *client;
  object.fail(client.error().message);
  return {};
}

Result<Line> read_enrolment(const nlohmann::json& json) {
  JsonObject object(json, "enrolment", {"client", "view", "period", "index", "segment"});
  Enrolment enrolment;
  enrolment.client = read_client(object);
  enrolment.view = object.integer32("view", 0, kMaxView);
  enrolment.period = object.integer32("period", 1, kMaxPeriods);
  if (object.has("index")) enrolment.index = object.integer32("index", 1, kMaxPeriods);
  if (object.has("segment")) {
    enrolment.segment = object.text("segment");
    if (!object.error() && !is_segment(enrolment.segment)) {
      object.fail("segment is " + shown(enrolment.segment) + "; expected a value of the metric's");
    }
  }
  if (object.error()) return *object.error();
  return Line(std::move(enrolment));
}

Result<Line> read_report(const nlohmann::json& json) {
  JsonObject object(json, "report", {"client", "index", "signs"});
  Report report;
  report.client = read_client(object);
  report.first_index = object.integer32("index", 1, kMaxPeriods);
  const std::string signs = object.text("signs");
  if (!object.error() && !read_signs(signs, report.first_index, report.signs)) {
    object.fail("signs are " + shown(signs) + "; expected 1 to " +
                std::to_string(kMaxPeriods + 1 - report.first_index) + " of '+', '-' and '0'");
  }
  if (object.error()) return *object.error();
  return Line(std::move(report));
}

Result<Line> read_leave(const nlohmann::json& json) {
  JsonObject object(json, "leaving", {"client", "leave"});
  Leave leave;
  leave.client = read_client(object);
  leave.period = object.integer32("leave", 1, kMaxPeriods);
  if (object.error()) return *object.error();
  return Line(leave);
}

Result<Line> read_forget(const nlohmann::json& json) {
  JsonObject object(json, "request to forget", {"client", "forget"});
  Forget forget;
  forget.client = read_client(object);
  if (!object.error() && !object.boolean("forget")) {
    object.fail("forget is false; expected true, or no such line");
  }
  if (object.error()) return *object.error();
  return Line(forget);
}

}  // namespace

std::string to_hex(const ClientId& client) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(kHexDigits);
  for (const std::uint8_t byte : client.bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

Result<ClientId> parse_client_id(std::string_view hex) {
  ClientId id;
  if (hex.size() == kHexDigits && decode_hex(hex, id)) return id;
  return Error{"client is " + shown(hex) + "; expected 32 hex digits in lower case"};
}

std::string to_line(const Header& header) {
  return "{\"futurerand\":" + std::to_string(kWireVersion) + ",\"plan\":" + to_json(header.plan) +
         ",\"seeded\":" + (header.seeded ? "true" : "false") + "}";
}

std::string to_line(const Enrolment& enrolment) {
  return "{\"client\":\"" + to_hex(enrolment.client) +
         "\",\"view\":" + std::to_string(enrolment.view) +
         ",\"period\":" + std::to_string(enrolment.period) +
         (enrolment.index == 0 ? "" : ",\"index\":" + std::to_string(enrolment.index)) +
         (enrolment.segment.empty() ? "" : ",\"segment\":\"" + enrolment.segment + "\"") + "}";
}

std::string to_line(const Report& report) {
  return "{\"client\":\"" + to_hex(report.client) +
         "\",\"index\":" + std::to_string(report.first_index) + ",\"signs\":\"" +
         to_text(report.signs) + "\"}";
}

std::string to_line(const Leave& leave) {
  return "{\"client\":\"" + to_hex(leave.client) + "\",\"leave\":" + std::to_string(leave.period) +
         "}";
}

std::string to_line(const Forget& forget) {
  return "{\"client\":\"" + to_hex(forget.client) + "\",\"forget\":true}";
}

bool looks_like_header(std::string_view line) { return line.find("\"futurerand\"") != line.npos; }

Result<Line> parse_line(std::string_view line) {
  if (std::optional<Line> canonical = parse_canonical_line(line)) return *std::move(canonical);
  return parse_any_line(line);
}

Result<Line> parse_any_line(std::string_view line) {
  if (line.size() > kMaxWireLineBytes) {
    return Error{"the line has " + std::to_string(line.size()) + " bytes; expected at most " +
                 std::to_string(kMaxWireLineBytes)};
  }
  // Only a header has a plan. Of anything larger no tree is built.
  const Error unknown{
      "the line is " + shown(line) +
      "; expected a header, an enrolment (client, view, period), a report (client, index, signs), "
      "or (client, leave) or (client, forget)"};
  if (!looks_like_header(line) && json_shape(line).values > kMaxLineValues) return unknown;
  const Result<nlohmann::json> json = parse_json_object(line, "the line");
  if (!json) return json.error();
  if (json->contains("futurerand")) return read_header(*json);
  if (json->contains("signs")) return read_report(*json);
  if (json->contains("view")) return read_enrolment(*json);
  if (json->contains("leave")) return read_leave(*json);
  if (json->contains("forget")) return read_forget(*json);
  return unknown;
}

}  // namespace futurerand
