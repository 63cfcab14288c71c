// Which plans show who is active, and when a device becomes inactive: once a report that it owes is
// missing for a number of periods. estimator/active.md says what follows.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Fewer than two periods would make every device inactive between the end of a period and its
// reports.
inline constexpr Period kMinGoneAfter = 2;
inline constexpr Period kMaxGoneAfter = 64;
inline constexpr Period kDefaultGoneAfter = 3;

// Up to so many periods the server keeps sums for each period of leaving. Beyond, those of several
// periods go together (leaving_step).
inline constexpr Period kMaxExactPeriods = 2048;

// Returns an error if devices of the plan report too rarely to show which of them are active.
Status shows_who_is_active(const Plan& plan);

// Number of periods (a power of two) merged into one departure bucket. Requires a plan that shows
// who is active.
Period leaving_step(Period num_periods);

}  // namespace futurerand
