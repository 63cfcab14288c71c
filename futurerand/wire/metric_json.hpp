// The one JSON form of a metric: what the log, exports, the catalogue of a cluster and
// GET /v1/metrics/{name} hold. A request (PUT) has the same keys, except that it names the
// parameters of a plan instead of the plan, and may leave keys out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

std::string to_json(const MetricDefinition& metric);
// The plan is valid; whether it is private is for the reader to certify.
Result<MetricDefinition> parse_metric(std::string_view json);
Result<MetricDefinition> read_metric(const nlohmann::json& json);

// Writes the request that defines this metric, with every key. Two metrics were asked for alike if
// their requests are the same text.
std::string to_request(const MetricDefinition& metric);
// Reads a request. A protocol or a start that it does not name is that of `existing`; without one,
// the protocol is the recommended one and the clock starts `now`.
Result<MetricDefinition> define_metric(std::string_view name, std::string_view request, Instant now,
                                       const MetricDefinition* existing = nullptr);
// Returns whether a valid request names its start.
bool requests_start(std::string_view request);

struct ViewCounts {
  std::uint64_t devices = 0;
  std::uint64_t reports = 0;
};

struct MetricCounts {
  std::uint64_t devices = 0;
  LineCounts lines;               // since the collector started
  std::int64_t lines_since = 0;   // when that was
  std::vector<ViewCounts> views;  // in the plan's order
};

// The document of GET /v1/metrics/{name}: the metric's JSON, its lifecycle and what was counted.
// `certificate` is null if the plan could not be judged.
std::string metric_document(const MetricLifecycle& metric, Instant now, const MetricCounts& counts,
                            const PlanCertificate* certificate);

// What a device reads of that document. It ignores unknown keys.
struct PublishedMetric {
  MetricDefinition definition;
  Period current_period = 0;
};
Result<PublishedMetric> parse_published_metric(std::string_view json);

}  // namespace futurerand
