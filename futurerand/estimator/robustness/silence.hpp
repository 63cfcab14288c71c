// The test on silence. Where symbols may be silent, honest devices nearly always are: a device that
// tells nothing speaks as rarely as the law says, and the signs that tell something are few. Liars
// speak, because silence moves nothing. So if more symbols spoke than any honest history lets, the
// reports contradict the plan.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The first period up to `up_to` by whose end too many have spoken in some view; 0 if there is
// none, and for plans that are never silent. Honest devices, however often they change, have one
// with probability `rate` at most, over their whole life. Requires sums of this plan, and 0 < rate
// < 1.
Period spoken_too_often_by(const Plan& plan, const Sums& sums, Period up_to, double rate);

}  // namespace futurerand
