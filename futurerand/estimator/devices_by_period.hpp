// How many devices had joined by each period: where nobody has, nothing is known of the count.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// Element t-1 is period t, up to `up_to`. Requires sums of this plan.
std::vector<std::uint64_t> devices_by_period(const Plan& plan, const Sums& sums, Period up_to);

}  // namespace futurerand
