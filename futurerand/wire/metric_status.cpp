#include "futurerand/wire/metric_status.hpp"

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_text.hpp"
#include "futurerand/wire/plan_json.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kMaxSeconds = std::uint64_t{1} << 62;

void put_seconds(std::string& out, std::string_view key, bool known, std::chrono::seconds value) {
  out += key;
  if (known) {
    put_number(out, std::int64_t{value.count()});
  } else {
    out += "null";
  }
}

void put_count(std::string& out, std::string_view key, std::uint64_t value) {
  out += key;
  put_number(out, value);
}

// Unlike put_number, this writes 1.0 and not 1.
std::string decimal(double value) { return nlohmann::json(value).dump(); }

void put_certificate(std::string& out, const PlanCertificate& certificate) {
  const auto put = [&out](bool certified, double exact_epsilon) {
    out += certified ? "{\"certified\":true" : "{\"certified\":false";
    out += ",\"exact_epsilon\":" + decimal(exact_epsilon);
  };
  put(certificate.certified(), certificate.exact_epsilon());
  out += ",\"views\":[";
  for (const Certificate& view : certificate.views) {
    if (out.back() != '[') out += ',';
    put(view.certified, view.exact_epsilon);
    out += ",\"gap\":" + decimal(view.gap) + '}';
  }
  out += "]}";
}

}  // namespace

std::string_view state_name(const MetricDefinition& metric, Period current, bool ended) {
  if (ended) return "closed";
  if (current == 0) return "waiting";
  if (current <= metric.plan.num_periods) return "open";
  return current < metric.closed_period() ? "grace" : "closed";
}

std::string to_json(const MetricDefinition& metric, const MetricStatus& status,
                    const PlanCertificate* certificate) {
  std::string out = "{\"name\":";
  put_text(out, metric.name);
  out += ",\"description\":";
  put_text(out, metric.description);
  out += ",\"plan\":" + to_json(metric.plan);
  out += metric.manual_clock ? ",\"clock\":\"manual\"" : ",\"clock\":\"wall\"";
  put_seconds(out, ",\"start\":", !metric.manual_clock, metric.start.time_since_epoch());
  put_seconds(out, ",\"period_seconds\":", metric.period_length.count() != 0, metric.period_length);
  put_count(out, ",\"grace_periods\":", metric.grace);
  if (metric.inactive_after > 0) put_count(out, ",\"inactive_after\":", metric.inactive_after);
  if (metric.transcript_cap) out += ",\"transcript_cap\":true";
  out += metric.test ? ",\"test\":true" : ",\"test\":false";
  put_count(out, ",\"current_period\":", status.current_period);
  out += ",\"state\":";
  put_text(out, state_name(metric, status.current_period, status.ended));
  if (status.ended) out += ",\"ended\":true";
  if (status.archived) out += ",\"archived\":true";
  put_count(out, ",\"devices\":", status.devices);
  std::uint64_t reports = 0;
  for (const ViewCounts& view : status.views) reports += view.reports;
  put_count(out, ",\"reports\":", reports);
  put_count(out, ",\"accepted\":", status.lines.accepted);
  put_count(out, ",\"duplicates\":", status.lines.duplicates);
  put_count(out, ",\"rejected\":", status.lines.rejected);
  put_count(out, ",\"early\":", status.lines.early);
  put_seconds(out, ",\"lines_since\":", true, status.lines_since.time_since_epoch());
  out += ",\"views\":[";
  for (const ViewCounts& view : status.views) {
    if (out.back() != '[') out += ',';
    put_count(out, "{\"devices\":", view.devices);
    put_count(out, ",\"reports\":", view.reports);
    out += '}';
  }
  out += "],\"certificate\":";
  if (certificate != nullptr) {
    put_certificate(out, *certificate);
  } else {
    out += "null";
  }
  return out + '}';
}

Result<PublishedMetric> parse_published_metric(std::string_view json) {
  const std::string where = "the collector's description of a metric";
  const Result<nlohmann::json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, where);
  const std::string& name = object.text("name");
  const nlohmann::json& plan_json = object.object("plan");
  const bool manual_clock = object.text("clock") == "manual";
  const Period current = object.integer32("current_period", 0, UINT32_MAX);
  const bool test = object.has("test") && object.boolean("test");
  std::uint64_t start = 0;
  std::uint64_t period_seconds = 0;
  if (!manual_clock) {
    start = object.integer("start", 0, kMaxSeconds);
    period_seconds = object.integer("period_seconds", 1, kMaxSeconds);
  }
  if (object.error()) return *object.error();
  Result<Plan> plan = read_plan(plan_json);
  if (!plan) return plan.error();
  return PublishedMetric{name,
                         *std::move(plan),
                         manual_clock,
                         static_cast<std::int64_t>(start),
                         static_cast<std::int64_t>(period_seconds),
                         current,
                         test};
}

}  // namespace futurerand
