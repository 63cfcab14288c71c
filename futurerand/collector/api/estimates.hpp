// GET /v1/metrics/{name}/estimates and .../difference, and the newest estimate alone.
//
// Thread safety: pure functions of a snapshot.
#pragma once

#include <string>

#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/estimator/panels.hpp"

namespace futurerand {

// Answers with JSON, or with CSV if the request prefers it. `as_of`: as the document's.
ApiResponse estimates_response(const MetricSnapshot& metric, Period current, const Call& call,
                               const std::string& as_of);

// The same for a metric without an end. Without from and to it is of the last two cycles.
ApiResponse estimates_response(const MetricSnapshot& endless, const Panels& panels,
                               const Call& call, const std::string& as_of);

// GET /v1/metrics/{name}/difference?before=1..7&after=8..14, with label=, by=, top= and level=.
ApiResponse difference_response(const MetricSnapshot& metric, Period current, const Call& call,
                                const std::string& as_of);
ApiResponse difference_response(const MetricSnapshot& endless, const Panels& panels,
                                const Call& call, const std::string& as_of);

// Returns the JSON row of the last complete period; empty if there is none.
std::string newest_estimate(const MetricSnapshot& metric, Period current);
std::string newest_estimate(const MetricSnapshot& endless, const Panels& panels);

}  // namespace futurerand
