// The maximum likelihood step of a random walk.
#pragma once

#include <functional>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

// Returns the variance of the steps of a share of `devices` over `periods` with the largest
// log_likelihood, a function of this variance. Calls it some 30 times.
double fit_step_variance(double devices, Period periods,
                         const std::function<double(double)>& log_likelihood);

}  // namespace futurerand
