#include "futurerand/documents/metric_status.hpp"

#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

void put_certificate(JsonWriter& json, const PlanCertificate& certificate) {
  const auto put = [&json](bool certified, double exact_epsilon) {
    json.begin_object().member("certified", certified).member("exact_epsilon", exact_epsilon);
  };
  put(certificate.certified(), certificate.exact_epsilon());
  json.key("views").begin_array();
  for (const Certificate& view : certificate.views) {
    put(view.certified, view.exact_epsilon);
    json.member("gap", view.gap).end_object();
  }
  json.end_array().end_object();
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
  using Seconds = std::optional<std::int64_t>;
  const bool wall = !metric.manual_clock;
  const std::int64_t length = metric.period_length.count();
  JsonWriter json(1024);
  json.begin_object().member("name", metric.name).member("description", metric.description);
  json.key("plan").json(to_json(metric.plan)).member("clock", wall ? "wall" : "manual");
  json.member("start", wall ? Seconds(metric.start.time_since_epoch().count()) : Seconds());
  json.member("period_seconds", length != 0 ? Seconds(length) : Seconds());
  json.member("grace_periods", metric.grace);
  if (metric.gone_after > 0) json.member("gone_after", metric.gone_after);
  if (metric.transcript_cap) json.member("transcript_cap", true);
  json.member("test", metric.test).member("current_period", status.current_period);
  json.member("state", state_name(metric, status.current_period, status.ended));
  if (status.ended) json.member("ended", true);
  if (status.archived) json.member("archived", true);
  std::uint64_t reports = 0;
  for (const ViewCounts& view : status.views) reports += view.reports;
  json.member("devices", status.devices).member("reports", reports);
  json.member("accepted", status.lines.accepted).member("duplicates", status.lines.duplicates);
  json.member("rejected", status.lines.rejected).member("early", status.lines.early);
  json.member("lines_since", status.lines_since.time_since_epoch().count());
  json.key("views").begin_array();
  for (const ViewCounts& view : status.views) {
    json.begin_object().member("devices", view.devices).member("reports", view.reports);
    json.end_object();
  }
  json.end_array().key("certificate");
  if (certificate != nullptr) {
    put_certificate(json, *certificate);
  } else {
    json.value(nullptr);
  }
  return std::move(json.end_object()).take();
}

}  // namespace futurerand
