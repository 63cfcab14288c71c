// SelfCheck: whether the reports contradict each other by more than noise can. What one part of the
// reports predicts is compared with what another part measures (hybrid), and every estimate with
// what it can be: not below 0 nor above the number of devices.
//
// Honest devices that change as planned raise an alarm in at most one of a thousand metrics, over
// their whole life: a third of that for each of the three tests in self_check.cpp, each over all
// periods of the horizon, so that it may be looked at as often as one likes.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

inline constexpr double kFalseAlarmRate = 0.001;
inline constexpr std::string_view kAlarmText =
    "reports contradict each other: devices may be leaving, lying, or changing more often than "
    "planned";

// The first period up to `up_to` by which they do; 0 if there is none. Requires sums of this plan.
Period contradicted_by(const Plan& plan, const Sums& sums, Period up_to);

// The same of estimates that were made otherwise, each of so many devices: only whether they can
// be. Requires as many numbers of devices as estimates.
Period impossible_by(const Plan& plan, const std::vector<PeriodEstimate>& estimates,
                     const std::vector<double>& devices);

}  // namespace futurerand
