// The document of GET /v1/metrics/{name}: what a collector says of a metric to anyone.
// wire/published_metric.hpp is what a device reads of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

struct ViewCounts {
  std::uint64_t devices = 0;
  std::uint64_t reports = 0;
};

struct MetricStatus {
  Period current_period = 0;
  std::uint64_t devices = 0;
  LineCounts lines;               // since the collector started
  std::vector<ViewCounts> views;  // in the plan's order
  std::chrono::sys_seconds lines_since = {};
  bool ended = false;  // by the operator, in this period
  bool archived = false;
};

// "waiting", "open", "grace" or "closed".
std::string_view state_name(const MetricDefinition& metric, Period current, bool ended);

// `certificate` is null where the plan could not be judged.
std::string to_json(const MetricDefinition& metric, const MetricStatus& status,
                    const PlanCertificate* certificate);

}  // namespace futurerand
