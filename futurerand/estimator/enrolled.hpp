// Estimates of all that ever enrolled, gone or not. Where it is known who is there (`innovation`),
// those who told a period are counted by their own reports, and those who did not are taken to hold
// 1 as often: so newcomers, whose innovation is large, never stand for older devices that left.
// Everywhere else each sum of reports stands for all who owed them. active.md has the assumption.
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
