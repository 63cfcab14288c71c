// Predicted variances of labels and of shares below thresholds, from those of a yes/no count.
#pragma once

#include <vector>

#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

// Returns the share of users that a figure counts if all labels or buckets are held equally often.
double even_share(const Coding& coding, std::size_t figure);

// Returns the variance of each figure of each period (held_counts.hpp), by
// core/coding/variance_factor.hpp, as if all labels or buckets were held equally often. Element t-1
// of `yes_no` is the variance of a count of `users` users. Requires a coding with rows.
std::vector<double> figure_variances(const Coding& coding, const std::vector<double>& yes_no,
                                     double users);
// The same, as the mean over the figures of each period.
std::vector<double> mean_figure_variances(const Coding& coding, const std::vector<double>& yes_no,
                                          double users);

}  // namespace futurerand
