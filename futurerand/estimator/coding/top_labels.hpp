// Top labels: which counts stand out from noise, with a stated false discovery rate.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// Returns the places of the counts that are above `background`, the largest count first. Of the
// places returned, on average at most the share `rate` has a count that is not above it. This is
// the step-up rule of Benjamini and Hochberg (1995) on one-sided normal tails; it assumes errors
// that are nearly uncorrelated or positively correlated, as those of labels are.
// The background of labels is 0; of texts it is devices / 2^hash_bits, what unrelated texts add.
// Requires 0 < rate < 1.
std::vector<std::uint32_t> top_labels(const std::vector<Measurement>& counts, double rate,
                                      double background = 0);

}  // namespace futurerand
