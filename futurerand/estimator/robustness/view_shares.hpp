// The test on the shares of views. Honest devices draw their view, and a start in it, by the plan's
// weights, before any data; liars claim the one that counts the most. So many more devices of one
// than its weight asks for are a contradiction, however their reports look.
//
// For each view and each start the devices that claim it are counted among those that could. The
// likelihood of that count under shares near the plan's, over that under the plan's, is a
// martingale with mean 1 if devices are honest, so that it ever passes 1 / rate with probability
// `rate` at most (Ville 1939): one may look as often as one likes, however many enrol, and nothing
// is approximated.
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

// How many liars beside so many honest devices may make this claim before the test notices, in a
// fleet whose honest shares are the plan's; as many as there are where the plan leaves no choice.
// Requires a claim that the plan has.
std::uint64_t unnoticed_claims(const Plan& plan, const Claim& claim, std::uint64_t honest,
                               double rate);

}  // namespace futurerand
