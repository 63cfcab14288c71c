// Estimates of active devices: enrolled, and not inactive. active.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/active_counts.hpp"
#include "futurerand/estimator/estimate.hpp"

namespace futurerand {

struct ActiveEstimate {
  PeriodEstimate at;
  std::uint64_t devices = 0;  // active in this period
  std::uint64_t reports = 0;  // of them have reported it
};

// Periods 1..up_to, each for the devices active in it. Every device is counted by its own reports.
// Late devices (missing, not inactive) are assumed unchanged since their last report. Hindsight is
// the online estimate. Trend smooths the shares. An estimate is not a number if nobody is active.
// With a window, each is the mean over the last `window` periods. Requires sums and presence of the
// plan, up_to < rule.current, and a window of 1 for trend.
std::vector<ActiveEstimate> estimate_active(const Plan& plan, const Sums& sums,
                                            const Presence& presence, const InactiveRule& rule,
                                            EstimatorKind kind, Period up_to, Period window = 1);

}  // namespace futurerand
