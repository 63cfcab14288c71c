// How large the error of each estimator will be, before any data. In floating point; nothing here
// decides privacy.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"

namespace futurerand {

// Element t-1 is the variance of the estimate at period t, in users squared, if all `num_users`
// take part from the first period on. `drift` is an assumption of trend and must be given here (0 <
// drift): the standard deviation of the share's step from one period to the next.
std::vector<double> predicted_variances(const Plan& plan, EstimatorKind kind, double num_users,
                                        double drift);

}  // namespace futurerand
