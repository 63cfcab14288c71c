// The reports of a trial with rows: each device answers questions of its row (labels and buckets).
// All devices take part throughout, so the reports of a row are a sum for each period, and no
// report is kept.
//
// Both engines draw each device by itself, because the reports of one device depend on each other.
// A device's row is drawn uniformly, like the hash of a random id. `users` runs the real device.
// `sums` draws its reports without a device, and takes bits only if they matter.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/engines/trial.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

struct SimulatedRows {
  SimulatedSums simulated;
  Presence presence;  // uncapped: the sums of all device estimates by row
};

// Fails if entropy fails, or if it would take more than kMostRowBytes. Requires a plan of
// `innovation` with a coding of rows, and an uncapped `empty` presence for it.
Result<SimulatedRows> run_rows(const CertifiedPlan& plan, const Population& population,
                               const Trial& trial, const Presence& empty);

inline constexpr std::uint64_t kMostRowBytes = std::uint64_t{1} << 30;

// Replaces `states` by the states of a device with this row, one for each change. Requires codes.
void states_of(CodingRow row, const Values& codes, Values& states);

}  // namespace futurerand
