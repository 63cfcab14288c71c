// Estimates of all devices ever enrolled, including inactive ones. `innovation` counts each device
// by its own reports in the periods it reported. The others are assumed to hold 1 equally often. So
// newcomers, with their large innovation, never stand for older devices. With other protocols each
// sum of reports stands for all expected reports. active.md states the assumption.
//
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// Periods 1..up_to. `presence` is null or has the same reports, sorted up to `up_to`.
std::vector<PeriodEstimate> estimate_enrolled(const Plan& plan, const Sums& sums,
                                              const Presence* presence, EstimatorKind kind,
                                              Period up_to);

}  // namespace futurerand
