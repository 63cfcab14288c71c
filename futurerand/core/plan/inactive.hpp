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
inline constexpr Period kMinInactiveAfter = 2;
inline constexpr Period kMaxInactiveAfter = 64;
inline constexpr Period kDefaultInactiveAfter = 3;

// The server keeps sums for each period of leaving. Up to so many periods each is one; beyond,
// those of several periods go together (leaving_step), so that there is not more to keep: 33 MB.
inline constexpr Period kMaxExactPeriods = 2048;
// With heartbeats they are sums of several views, and estimates take a pass for each of them.
inline constexpr Period kMaxExactHeartbeatPeriods = 1024;
// With more of them what each device told would take too much.
inline constexpr Period kMaxHeartbeatPeriods = 16384;

// An error that says why, where what devices of a plan send does not show who is still there.
Status shows_who_is_active(const Plan& plan);
// An error that says why, where devices of such a plan are not to send heartbeats.
Status can_have_heartbeats(Protocol protocol, Period num_periods);

// So many periods, a power of two, are one period of leaving once those who left in them are gone:
// they count as gone from its first period on. For plans that show who is active.
Period leaving_step(Period num_periods, bool heartbeats);

}  // namespace futurerand
