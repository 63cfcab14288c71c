// Which plans show who is still there, and when a device is taken to be gone. A device is gone once
// what it owes is missing for a number of periods: its report of every period, or with heartbeats
// the word that it is there, where a period has no report. estimator/active.md says what follows.
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
// With heartbeats they are sums of several views, and estimates take a pass for each period.
inline constexpr Period kMaxHeartbeatPeriods = 1024;

// An error that says why, where what devices of a plan send does not show who is still there.
Status shows_who_is_active(const Plan& plan);
// An error that says why, where devices of such a plan are not to send heartbeats.
Status can_have_heartbeats(Protocol protocol, Period num_periods);

}  // namespace futurerand
