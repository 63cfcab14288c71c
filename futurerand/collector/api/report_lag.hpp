// How far devices are behind: of the reports that were due when the last period ended, how many are
// in. For GET /metrics.
#pragma once

#include <string>

#include "futurerand/collector/writer/snapshot.hpp"

namespace futurerand {

// Lines for GET /metrics, of metrics whose first period is over and whose horizon is not very long.
std::string lag_prometheus(const Snapshot& snapshot, Instant now);

}  // namespace futurerand
