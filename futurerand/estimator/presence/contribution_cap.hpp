// Contribution cap: limits on the estimate psi of an honest device from its own transcript, for
// plans with a report every period (`innovation`), and the cost of clipping there.
// device_estimate.hpp clips.
//
// A device's own reports count it as psi(t) at period t (active.md). Its noise is e^epsilon-close
// to fair symbols. So psi(t) exceeds a limit at most L times as often as with fair symbols. L is
// the largest ratio of the noise law to theirs. An adversary sending only plus counts as much more
// than any honest device, but not by many standard deviations: a sum of a few large weights has no
// long tail.
//
// Every plan without innovation counts a device by one symbol at a time, and all symbols have one
// size. There is nothing to cap.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// An honest transcript exceeds the upper limit of a period at most at this rate, and the lower one
// likewise. Rarer limits are wider; with these the bias stays below a tenth of the noise for up to
// ten million devices (docs/threat-model.md).
inline constexpr double kCapRate = 0.0001;

struct ContributionCap {
  // Element t-1 is the t-th period of a device: the largest and the smallest count of its device by
  // a transcript.
  std::vector<double> most;
  std::vector<double> least;
  // The largest error of the count due to clipping, in devices per honest device.
  std::vector<double> bias;
};

// None if the plan has no innovation. Requires a valid plan. O(d) convolutions of a few thousand
// points.
std::optional<ContributionCap> contribution_cap(const Plan& plan, double rate = kCapRate);

}  // namespace futurerand
