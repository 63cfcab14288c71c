// Monotone curves and quantiles of a distribution.
#pragma once

#include <span>
#include <vector>

#include "futurerand/core/coding/coding.hpp"
#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// Returns the rising sequence from `least` to `most` that is nearest to `values` in least squares:
// pool adjacent violators, then clip. For display. It is biased; the unbiased values are the input.
std::vector<double> monotone(std::span<const double> values, double least, double most);

// In units of the value.
struct QuantileEstimate {
  double value = 0;
  Band band;
};

// Returns the value at which the monotone cumulative curve, linear between thresholds, reaches
// `share` of the devices. The band covers all values at which the unbiased curve does not differ
// significantly from `share`. It contains the quantile with probability at least `level` if values
// spread evenly inside the quantile's bucket. It may cover the whole range. Requires a
// distribution, its estimate_cumulative, at least one device, and 0 < share < 1.
QuantileEstimate estimate_quantile(const Coding& coding, const std::vector<Measurement>& cumulative,
                                   double share, double level);

}  // namespace futurerand
