// Variance factors: how much noisier a coded answer is than the count of a yes/no metric. An answer
// is a sum over devices of a(value). V is the variance of the yes/no count of the same N devices.
//
//   variance = factor (V + N/4) - sum over devices of (a(value) - mean of a over all codes)^2
//
// The formula is exact for rows drawn with their chances. Planners use factor * V. See coding.md.
#pragma once

#include <cstdint>

#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

// The count of one code: (2 (R-1)/R)^2 for labels and texts, 1 for yes/no and number, and
// (4 b / 3) (1 - R^-2) for a bucket of a distribution.
double count_factor(const Coding& coding);

// The count of buckets below a threshold, 0..buckets. Requires a distribution.
double cumulative_factor(const Coding& coding, std::uint32_t threshold);
// The mean of cumulative_factor over the thresholds 1..R-1: R/(R-1) (b^2/3 + (2b/9) (1 - 4^-b)).
double mean_cumulative_factor(std::uint32_t bits);
// The sum over devices of the middle of the bucket, as a share of the range: (b/2) (1 - 2^-b).
double mean_factor(std::uint32_t bits);

}  // namespace futurerand
