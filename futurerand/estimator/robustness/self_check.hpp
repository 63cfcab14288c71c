// SelfCheck: whether the reports contradict each other by more than noise can. What one part of the
// reports predicts is compared with what another part measures (hybrid), every estimate with what
// it can be, not below 0 nor above the number of devices, how many devices claim each view with how
// many honest ones would (view_shares.hpp), how many speak with how many would (silence.hpp), and
// how many transcripts exceed the contribution cap with how many would (contribution_cap.hpp).
//
// Honest devices that change as planned raise an alarm in at most one of a thousand metrics, over
// their whole life: a sixth of that for each of the six tests in self_check.cpp, each over all
// periods of the horizon, so that it may be looked at as often as one likes.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

inline constexpr double kFalseAlarmRate = 0.001;
// Of each of the tests.
inline constexpr double kAlarmRateEach = kFalseAlarmRate / 6;
inline constexpr std::string_view kAlarmText =
    "reports contradict each other: devices may be leaving, lying, or changing more often than "
    "planned";
inline constexpr std::string_view kSharesAlarmText =
    "shares of views are not the plan's: more devices claim one view, or one start in it, than "
    "honest devices would draw it; devices may be lying";
inline constexpr std::string_view kSilenceAlarmText =
    "share of silent reports is too small: more reports speak than those of honest devices would; "
    "devices may be lying";
inline constexpr std::string_view kTranscriptsAlarmText =
    "more devices than honest noise allows sent what hardly any honest device sends; devices may "
    "be lying";

struct Alarm {
  Period period = 0;           // the first by whose end there is one; 0: there is none
  std::string_view text = {};  // one of those above

  explicit operator bool() const { return period != 0; }
};

// All tests, on estimates of all that ever enrolled, up to a period. Requires sums of this plan.
Alarm check_enrolled(const Plan& plan, const Sums& sums, Period up_to);

// The same for estimates that were made otherwise, each of so many devices: whether they can be,
// and the shares of views, silence, and where presence is capped, transcripts. Requires as many
// numbers of devices as estimates, of periods from 1 on.
Alarm check_estimates(const Plan& plan, const Sums& sums, const Presence& presence,
                      const std::vector<PeriodEstimate>& estimates,
                      const std::vector<double>& devices);

// The first period up to `up_to` by which reports contradict each other; 0 if there is none.
Period contradicted_by(const Plan& plan, const Sums& sums, Period up_to);
// The first in which more transcripts exceed the cap than those of honest devices would; 0 if there
// is none.
Period beyond_cap_by(const Presence& presence, Period up_to);
// How many may in a period of so many reports, of a plan of so many periods: one more raises the
// alarm. Honest devices are among them, one in 1 / (2 kCapRate) on average at most.
std::uint64_t most_beyond_unnoticed(std::uint64_t reports, Period num_periods);
// The first whose estimate cannot be.
Period impossible_by(const Plan& plan, const std::vector<PeriodEstimate>& estimates,
                     const std::vector<double>& devices);

}  // namespace futurerand
