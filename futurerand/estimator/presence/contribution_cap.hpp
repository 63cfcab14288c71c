// How far one honest transcript can say anything of its device, for plans whose devices report
// every period (`innovation`), and what it costs to clip it there (device_estimate.hpp does).
//
// A device's own reports count it as psi(t) at period t (active.md). Its noise is e^epsilon-close
// to fair symbols, so that psi(t) passes a limit at most L times as often as theirs does, where L
// is the most by which the law of the noise exceeds theirs. Whoever sends nothing but plus is
// counted as much more than any honest device, but not by many standard deviations: a sum of so few
// large weights has no long tail.
//
// Every plan without innovation counts a device by one symbol at a time, and those are all of one
// size: there is nothing to cap.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// An honest transcript passes the limit of a period at most so often, and the lower one as often.
// Rarer limits are wider; with these the bias stays below a tenth of the noise for up to ten
// million devices (docs/threat-model.md).
inline constexpr double kCapRate = 0.0001;

struct ContributionCap {
  // Element t-1 is the t-th period of a device: the most, and the least, that a transcript may
  // count its device as.
  std::vector<double> most;
  std::vector<double> least;
  // By how many devices for each honest one the count is wrong at most where transcripts are cut
  // off there.
  std::vector<double> bias;
};

// None if the plan has no innovation. Requires a valid plan. O(d) convolutions of a few thousand
// points.
std::optional<ContributionCap> contribution_cap(const Plan& plan, double rate = kCapRate);

}  // namespace futurerand
