// Which plans show who is still there, and when a device is taken to be gone. A device is gone once
// a report that it owes is missing for a number of periods; estimator/active.md says what follows.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Fewer than two periods would call everyone gone between the end of a period and its reports.
inline constexpr Period kMinGoneAfter = 2;
inline constexpr Period kMaxGoneAfter = 64;
inline constexpr Period kDefaultGoneAfter = 3;

// The server keeps sums for each pair of periods: 33 MB for so many.
inline constexpr Period kMaxActivePeriods = 2048;

// An error that says why, where the reports of a plan do not show who is still there.
Status shows_who_is_active(const Plan& plan);

}  // namespace futurerand
