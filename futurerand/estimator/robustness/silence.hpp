// The test on silence. Honest devices nearly always send zero symbols if the law has them. A symbol
// without information is nonzero only as often as the law states, and few signs carry information.
// Adversaries send nonzero symbols, because zeros move nothing. If there are more nonzero symbols
// than any honest history allows, the reports contradict the plan.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The first period up to `up_to` by the end of which some view has too many nonzero symbols; 0 if
// there is none, and for plans without zero symbols. For honest devices with any number of changes
// this happens with probability at most `rate`, over the whole horizon. Requires sums of this plan,
// and 0 < rate < 1.
Period spoken_too_often_by(const Plan& plan, const Sums& sums, Period up_to, double rate);

}  // namespace futurerand
