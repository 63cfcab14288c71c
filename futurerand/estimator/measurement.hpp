// Measurement: an unbiased estimate of a count, or of its change over an interval, with its
// variance. Each is a ratio estimate: the M received reports stand for the N devices enrolled by
// then. Missing reports cost precision and add no bias if dropping out does not depend on the
// value.
//
// Thread safety: plain values and pure functions.
#pragma once

#include <limits>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

inline constexpr double kUndetermined = std::numeric_limits<double>::infinity();

struct Measurement {
  double value = 0;  // finite, even if the variance is not: nothing ever turns into a NaN
  double variance = kUndetermined;
};

// Returns the sum of two independent measurements.
Measurement operator+(const Measurement& a, const Measurement& b);
// Combines two independent measurements of one count, weighted by inverse variance.
Measurement combine(const Measurement& a, const Measurement& b);

// Measures the change over an interval, from the symbols of those enrolled by its end. The variance
// assumes symbols with mean 0. It is N^2 / (M c^2) for signs and less if some symbols are zero. It
// is too large by at most a share c^2 M/N, reached if every device changed. `least_square` is the
// mean square of a symbol without a change. A few reports may fall short of it by chance.
Measurement measure_change(const IndexSum& reports, double enrolled, double gap,
                           double least_square = 1);
// Measures the number of devices holding 1, from signs of the value itself. `known` is prior
// knowledge of this count. The part of the variance due to the choice of reporting devices uses it.
Measurement measure_value(const IndexSum& reports, double enrolled, double gap,
                          const Measurement& known);
// Does the same without prior knowledge of the count.
Measurement measure_value(const IndexSum& reports, double enrolled, double gap);

// Returns not-a-number if the count is undetermined.
PeriodEstimate to_estimate(Period period, const Measurement& measurement);

}  // namespace futurerand
