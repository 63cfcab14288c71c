// Measurement: an unbiased estimate of a count, or of its change over an interval, with its
// variance. All of them are ratio estimates: the M reports that came in stand for the N devices
// enrolled by then, so that reports that never come cost precision and no bias, provided that
// silence does not depend on the value.
//
// Thread safety: plain values and pure functions.
#pragma once

#include <limits>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

inline constexpr double kUndetermined = std::numeric_limits<double>::infinity();

struct Measurement {
  double value = 0;  // finite, even where the variance is not: nothing ever turns into a NaN
  double variance = kUndetermined;
};

// Returns the measurement of the sum of two counts that were measured independently.
Measurement operator+(const Measurement& a, const Measurement& b);
// Combines two independent measurements of one count, weighted by inverse variance.
Measurement combine(const Measurement& a, const Measurement& b);

// Measures the change over an interval, from the symbols of those enrolled by its end. The variance
// is that of symbols with mean 0, N^2 / (M c^2) for signs and less where some are silent: at most a
// share c^2 M/N too large, where every device changed. `least_square` is the mean square of a
// symbol where nothing changes, which few reports may fall short of by chance.
Measurement measure_change(const IndexSum& reports, double enrolled, double gap,
                           double least_square = 1);
// Measures how many hold 1, from signs that tell the value itself. `known` is what is known of that
// count, for the part of the variance that comes from which devices reported.
Measurement measure_value(const IndexSum& reports, double enrolled, double gap,
                          const Measurement& known);
// Does the same if nothing else is known of that count.
Measurement measure_value(const IndexSum& reports, double enrolled, double gap);

// Returns not-a-number where the count is undetermined.
PeriodEstimate to_estimate(Period period, const Measurement& measurement);

}  // namespace futurerand
