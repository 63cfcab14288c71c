// What readers ask of a snapshot: estimates, sums, and the newest estimate as an event.
//
// Thread safety: pure functions of a snapshot.
#pragma once

#include <string>

#include "futurerand/collector/api/message.hpp"
#include "futurerand/collector/writer/snapshot.hpp"

namespace futurerand {

// GET .../estimates: JSON, or CSV if the request accepts that rather.
ApiResponse estimates_response(const MetricSnapshot& metric, Period current, const Target& target,
                               bool csv);

// GET .../sums
ApiResponse sums_response(const MetricSnapshot& metric, Period current);

// The last complete period as a JSON object; empty if there is none.
std::string newest_estimate(const MetricSnapshot& metric, Period current);

}  // namespace futurerand
