// Counts of active devices, before they become estimates: by period, and pooled over windows.
// active.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// When a device becomes inactive: the current period, and for how many periods a due report may be
// missing before that.
struct InactiveRule {
  Period current;
  Period inactive_after;

  // Returns whether devices with this first missing period are inactive.
  bool is_inactive(Period missing) const { return missing + inactive_after <= current; }
};

// A count of the active devices of a period, or its mean over the periods of a window.
struct ActiveCount {
  double value = 0;
  double variance = 0;  // without the cap's
  double devices = 0;
  double reports = 0;
  double bias = 0;  // by how many devices the cap makes the count wrong at most

  double variance_with_bias() const { return variance + bias * bias; }
};

// Periods 1..up_to. Late devices (missing, not inactive) are assumed unchanged since their last
// report. Requires sums and presence of one plan, and up_to < rule.current.
std::vector<ActiveCount> active_counts(const Sums& sums, const Presence& presence,
                                       const InactiveRule& rule, Period up_to);

// How many reports of each period 1..periods are not zero symbols. Few reports may all be zero by
// chance, so there are at least as many as of devices that never change.
std::vector<double> nonzero_reports(const Sums& sums, const DeviceEstimate& estimate,
                                    std::size_t periods);

// Element t-1 becomes the mean over the last `window` periods up to t, or over all t of them if
// there are fewer. Its noise is the noise of the mean: estimates of neighbouring periods share
// their reports. Requires the counts above, of the same sums and presence, and a window of at least
// 1.
std::vector<ActiveCount> pooled_counts(const std::vector<ActiveCount>& counts, const Sums& sums,
                                       const DeviceEstimate& estimate, Period window);

}  // namespace futurerand
