#include "futurerand/documents/metric_status.hpp"

#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric_json.hpp"

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

std::string metric_document(const MetricLifecycle& metric, Instant now, const MetricCounts& counts,
                            const PlanCertificate* certificate) {
  JsonWriter json(1024);
  put_metric(json.begin_object(), *metric.definition);
  json.member("current_period", metric.current_period(now)).member("state", metric.state(now));
  if (metric.ended_early()) json.member("ended", true);
  if (metric.archived) json.member("archived", true);
  if (!metric.candidates.empty()) json.array("candidates", metric.candidates);
  std::uint64_t reports = 0;
  for (const ViewCounts& view : counts.views) reports += view.reports;
  json.member("devices", counts.devices).member("reports", reports);
  json.member("accepted", counts.lines.accepted).member("duplicates", counts.lines.duplicates);
  json.member("rejected", counts.lines.rejected).member("early", counts.lines.early);
  json.member("lines_since", counts.lines_since);
  json.key("views").begin_array();
  for (const ViewCounts& view : counts.views) {
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
