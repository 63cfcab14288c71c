// Predicts how large the error of a plan will be, before any data, by closed forms in floating
// point. Nothing here decides privacy. Variances are divided by the number of users, standard
// deviations by its square root.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Element t-1 is the variance of the estimate at period t, over the number of users.
std::vector<double> predicted_variances(const Plan& plan);

struct PredictedError {
  double rmse;       // root of the mean variance over periods
  double worst;      // the largest standard deviation of any period
  double max_error;  // no period errs by more, with probability 95% (union bound, normal tails)
};

// Summarizes the variances of all periods. Its errors are in the unit of their roots. Requires at
// least one variance, all of them positive.
PredictedError summarize(const std::vector<double>& variances);

// Returns the same in users, for this many of them.
PredictedError predict_error(const Plan& plan, double num_users);

}  // namespace futurerand
