// Estimates of all devices that ever enrolled, including inactive ones.
// `innovation` counts each device that reported a period by its own reports. The others are assumed
// to hold 1 equally often. So newcomers, whose innovation is large, never stand for older devices.
// With other protocols each sum of reports stands for all expected reports.
// active.md states the assumption.
//
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// Periods 1..up_to. `presence` is that of the same reports, sorted up to `up_to`, or null.
std::vector<PeriodEstimate> estimate_enrolled(const Plan& plan, const Sums& sums,
                                              const Presence* presence, EstimatorKind kind,
                                              Period up_to);

}  // namespace futurerand
