// Plans that can count active devices, and the rule for inactive ones. A device becomes inactive
// once a due report is missing for a number of periods. estimator/active.md has the consequences.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Fewer than two periods would make every device inactive between the end of a period and its
// reports.
inline constexpr Period kMinInactiveAfter = 2;
inline constexpr Period kMaxInactiveAfter = 64;
inline constexpr Period kDefaultInactiveAfter = 3;

// Returns an error if devices of the plan report too rarely to show which of them are active.
Status shows_who_is_active(const Plan& plan);

}  // namespace futurerand
