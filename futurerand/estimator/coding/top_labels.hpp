// Top labels: the counts significantly above noise, with a stated false discovery rate.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// Returns the places of the counts above `background`, the largest count first. On average at most
// the share `rate` of them are false discoveries: true counts not above it. This is the step-up
// rule of Benjamini and Hochberg (1995) on one-sided normal tails. It assumes nearly uncorrelated
// or positively correlated errors, as labels have. The background of labels is 0. For texts it is
// devices / 2^hash_bits, the mean count of unrelated texts. Requires 0 < rate < 1.
std::vector<std::uint32_t> top_labels(const std::vector<Measurement>& counts, double rate,
                                      double background = 0);

}  // namespace futurerand
