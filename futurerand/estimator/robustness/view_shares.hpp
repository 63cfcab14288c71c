// The test on the shares of views. Honest devices draw their view, and a start in it, by the plan's
// weights, before any data. Adversaries claim the one with the most influence. So an excess of
// devices over the plan's weight is a contradiction, for any reports.
//
// For each view and each start, the test counts the devices claiming it among those able to. It
// divides the likelihood of this count under shares near the plan's by that under the plan's. For
// honest devices this ratio is a martingale with mean 1. So it ever passes 1 / rate with
// probability at most `rate` (Ville 1939). It may be checked at any time, with any number of
// devices, and nothing is approximated.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The first period up to `up_to` by whose end too many, or too few, devices have claimed a view or
// a start; 0 if there is none. Honest fleets have one with probability `rate` at most, over their
// whole life. Requires sums of this plan, and 0 < rate < 1.
Period shares_broken_by(const Plan& plan, const Sums& sums, Period up_to, double rate);

// The largest number of adversaries beside `honest` devices with this strategy before the test
// notices, in a fleet with the plan's honest shares. All of them if the plan leaves no choice.
// Requires a claim that the plan has.
std::uint64_t unnoticed_claims(const Plan& plan, const Claim& claim, std::uint64_t honest,
                               double rate);

}  // namespace futurerand
