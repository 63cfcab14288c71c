// Sums as the bytes of a row of the table `sums`.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// Requires sums of this plan.
std::string to_bytes(const Plan& plan, const Sums& sums);
// An error if they are not of this plan.
Result<Sums> parse_sums_bytes(const Plan& plan, std::string_view bytes);

}  // namespace futurerand
