// Estimates of active devices: enrolled, and not inactive. active.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// When a device becomes inactive: the current period, and for how many periods a due report may be
// missing before that.
struct InactiveRule {
  Period current;
  Period inactive_after;

  // Returns whether devices are inactive whose first missing period is this one.
  bool is_inactive(Period missing) const { return missing + inactive_after <= current; }
};

struct ActiveEstimate {
  PeriodEstimate at;
  std::uint64_t devices = 0;  // active in this period
  std::uint64_t reports = 0;  // of them have reported it
};

// Periods 1..up_to, each of the devices that were active then. Every device is counted by its own
// reports. Late devices, which are missing but not inactive, are taken to be unchanged since their
// last report. Hindsight is the online estimate. Trend smooths the shares. Not a number where
// nobody is active. Requires sums and presence of the plan, and up_to < rule.current.
std::vector<ActiveEstimate> estimate_active(const Plan& plan, const Sums& sums,
                                            const Presence& presence, const InactiveRule& rule,
                                            EstimatorKind kind, Period up_to);

}  // namespace futurerand
