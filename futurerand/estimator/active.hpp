// Estimates of the devices that are active: enrolled, and not gone. active.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What decides who is gone: the period that is running, and for how many periods a report may be
// missing before its device is.
struct GoneRule {
  Period current;
  Period inactive_after;

  // Are the devices gone whose first missing report is that of this period?
  bool is_gone(Period left) const { return left + inactive_after <= current; }
};

struct ActiveEstimate {
  PeriodEstimate at;
  std::uint64_t devices = 0;  // active in this period
  std::uint64_t reports = 0;  // so many of them told of this period
};

// Periods 1..up_to. Online: period t of those active at t. Hindsight and trend: the history of
// those active now. Where presence has limits, online estimates count no device beyond them. Not a
// number where nobody is active or their reports do not determine it. Requires a plan that shows
// who is active, sums and presence of it, and up_to < rule.current.
std::vector<ActiveEstimate> estimate_active(const Plan& plan, const Sums& sums,
                                            const Presence& presence, const GoneRule& rule,
                                            EstimatorKind kind, Period up_to);

}  // namespace futurerand
