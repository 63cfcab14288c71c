// Coded counts: from the sums by row of one period to counts by code, cumulative counts and the
// mean, each with its exact variance.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <vector>

#include "futurerand/core/coding/coding.hpp"
#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// Inputs of the answers of one period. Sums over several periods, divided by their number, give the
// answers of a pooled window, with the variance of the pooled yes/no count.
struct CodedSums {
  // By row: the sum of 2 psi - 1 over its devices. psi is a device's own estimate of its value, as
  // a share of the full scale. num_codes() elements; element 0 is not used.
  std::vector<double> rows;
  double devices = 0;   // of all rows together
  double variance = 0;  // the variance of the sum of psi over all of them
};

// All of these require sums of this coding. A count is out of `devices`; counts by code are
// unbiased, so some may be negative.
std::vector<Measurement> estimate_counts(const Coding& coding, const CodedSums& sums);
Measurement estimate_count(const Coding& coding, const CodedSums& sums, std::uint32_t code);

// Returns how many values are in buckets below each threshold 0..buckets. The first is 0, the last
// is `devices`, both without variance. Requires a distribution.
std::vector<Measurement> estimate_cumulative(const Coding& coding, const CodedSums& sums);

// Returns the mean value in units of the value, for a distribution within half a bucket.
// Undetermined without devices. Requires a number or a distribution.
Measurement estimate_mean(const Coding& coding, const CodedSums& sums);

// One period's truth is inside its band with probability `level`; all `at_once` of them are with
// probability `level` together, by the union bound.
std::vector<Band> coded_bands(const std::vector<Measurement>& estimates, double level,
                              std::size_t at_once = 1);

}  // namespace futurerand
