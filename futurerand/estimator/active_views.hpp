// The online estimate of those active, for plans with heartbeats: devices of several views, each of
// which reports now and then. active.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/estimator/active.hpp"

namespace futurerand {

// Periods 1..up_to, each of those active then. Work: a pass of the online estimator up to t for
// each row, the step or the period t in which somebody left. Requires a plan with heartbeats, sums
// and presence of it, and up_to < rule.current.
std::vector<ActiveEstimate> online_active_views(const Plan& plan, const Sums& sums,
                                                const Presence& presence, const GoneRule& rule,
                                                Period up_to);

// Returns how many devices told of each period; element t-1 is period t. Requires a plan with
// heartbeats.
std::vector<std::uint64_t> heard_by_period(const Sums& sums, const Presence& presence);

}  // namespace futurerand
