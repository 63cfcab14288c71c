// The document of GET /v1/metrics/{name}: a metric, its lifecycle and what was counted.
// wire/metric_json.hpp reads what a device needs of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

struct ViewCounts {
  std::uint64_t devices = 0;
  std::uint64_t reports = 0;
};

// A season that is live, in periods of the endless clock.
struct LiveSeason {
  std::int64_t season = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::uint64_t devices = 0;
};

struct MetricCounts {
  std::uint64_t devices = 0;
  LineCounts lines;                           // since the collector started
  std::int64_t lines_since = 0;               // when that was, in seconds since 1970
  std::vector<ViewCounts> views;              // in the plan's order
  std::vector<LiveSeason> live_seasons = {};  // of a metric without an end
};

// `certificate` is null if the plan could not be judged.
std::string metric_document(const MetricLifecycle& metric, Instant now, const MetricCounts& counts,
                            const PlanCertificate* certificate);

}  // namespace futurerand
