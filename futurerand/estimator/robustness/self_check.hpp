// SelfCheck: tests whether the reports contradict each other by more than noise can. It compares:
// - the prediction from one part of the reports with the measurement from another part (hybrid);
// - every estimate with its range, from 0 to the number of devices;
// - the number of devices claiming each view with the honest number (view_shares.hpp);
// - the number of nonzero symbols with the honest number (silence.hpp);
// - the number of transcripts above the contribution cap with the honest number
//   (contribution_cap.hpp).
//
// Honest devices with changes as planned raise an alarm in at most one of a thousand metrics, over
// the whole horizon. Each of the six tests in self_check.cpp gets a sixth of this rate, over all
// periods of the horizon. So the result may be checked at any time.
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
    "the reports contradict each other; devices may be leaving, sending false reports, or changing "
    "more often than planned";
inline constexpr std::string_view kSharesAlarmText =
    "too many devices claim one report type or one start; some may be sending false reports";
inline constexpr std::string_view kSilenceAlarmText =
    "the share of zero symbols is too small; some devices may be sending false reports";
inline constexpr std::string_view kTranscriptsAlarmText =
    "too many devices exceed the contribution cap; some may be sending false reports";

struct Alarm {
  Period period = 0;           // the first by whose end there is one; 0: there is none
  std::string_view text = {};  // one of those above

  explicit operator bool() const { return period != 0; }
};

// All tests, on estimates of all that ever enrolled, up to a period. Requires sums of this plan.
Alarm check_enrolled(const Plan& plan, const Sums& sums, Period up_to);

// The same for estimates made otherwise, each with its number of devices. Checks their range, the
// shares of views, nonzero symbols, and transcripts if presence is capped. Requires as many numbers
// of devices as estimates, of periods from 1 on.
Alarm check_estimates(const Plan& plan, const Sums& sums, const Presence& presence,
                      const std::vector<PeriodEstimate>& estimates,
                      const std::vector<double>& devices);

// The first period up to `up_to` by which reports contradict each other; 0 if there is none.
Period contradicted_by(const Plan& plan, const Sums& sums, Period up_to);
// The first in which more transcripts exceed the cap than those of honest devices would; 0 if there
// is none.
Period beyond_cap_by(const Presence& presence, Period up_to);
// The largest number of transcripts above the cap that raises no alarm in a period of `reports`
// reports, in a plan of `num_periods` periods. Honest devices are among them, one in 1 / (2
// kCapRate) on average at most.
std::uint64_t most_beyond_unnoticed(std::uint64_t reports, Period num_periods);
// The first period with an impossible estimate.
Period impossible_by(const Plan& plan, const std::vector<PeriodEstimate>& estimates,
                     const std::vector<double>& devices);

}  // namespace futurerand
