// How large the error of each estimator will be, before any data. In floating point; nothing here
// decides privacy.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"

namespace futurerand {

// Element t-1 is the variance of the estimate at period t, in users squared, for so many users who
// all take part from the first period on. `drift` is what trend assumes and has to be told here:
// the standard deviation of the step that the share makes from one period to the next (0 < drift).
std::vector<double> predicted_variances(const Plan& plan, EstimatorKind kind, double num_users,
                                        double drift);

}  // namespace futurerand
