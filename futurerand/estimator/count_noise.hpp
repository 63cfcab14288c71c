// CountNoise: the covariance of counts of active devices in different periods. Neighbouring counts
// share reports, so their noise is correlated. active.md has the formula.
//
// Thread safety: const calls may run at once.
#pragma once

#include <span>
#include <vector>

#include "futurerand/estimator/active_counts.hpp"

namespace futurerand {

// The noise of one period, as far as it is known.
struct PeriodNoise {
  double variance = 0;  // of the count
  double devices = 0;   // counted
  double joined = 0;    // of them, in this period
  double reports = 0;   // for this period, without zero symbols
};

// Of active devices. Requires the counts of sums and presence of one plan, from period 1 on.
std::vector<PeriodNoise> period_noise(const std::vector<ActiveCount>& counts, const Sums& sums,
                                      const DeviceEstimate& estimate);

class CountNoise {
 public:
  // Element t-1 is period t. `weights` are those of the plan (DeviceEstimate::weights). O(d^2).
  CountNoise(std::vector<PeriodNoise> periods, std::span<const double> weights);

  // The variance of the sum over all periods of coefficient times count. It assumes that devices
  // leave independently of their age. Requires at most one coefficient for each period. O(d^2).
  double variance(std::span<const double> coefficients) const;

 private:
  std::vector<PeriodNoise> periods_;
  std::vector<double> weights_;
  std::vector<double> staying_;  // the share of the devices of the period before
  std::vector<double> scale_;    // known variance over modelled variance; 0: nothing is modelled
};

}  // namespace futurerand
