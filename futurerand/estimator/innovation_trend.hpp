// The `trend` of an innovation plan: the filter's counts, smoothed. The prior is a random walk of
// the share of devices holding 1.
//
// The errors of neighbouring counts are correlated in a known way: they are one white noise
// filtered by the response r. Seven exponentials approximate r to a few percent. A Kalman filter of
// eight states can then separate the walk from the noise. It takes O(d) work for any number of
// lags, since any reader of a metric may ask for it.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The filter's results for each period, the first in element 0.
struct InnovationEvidence {
  std::vector<double> enrolled;
  std::vector<double> counts;
  std::vector<double> innovation_variances;
  std::vector<bool> reported;  // whether the period had reports
  std::vector<double> response;
};

// Requires a valid plan of `innovation`, its sums, and up_to <= num_periods.
InnovationEvidence gather_innovation(const Plan& plan, const Sums& sums, Period up_to);

// Estimates the counts of all periods: N_t p_t devices hold 1, and p_t - p_(t-1) ~ Normal(0,
// step_variance). When devices first enrol, p is anywhere in [0,1]. Requires step_variance > 0.
std::vector<Measurement> innovation_trend(const InnovationEvidence& evidence, double step_variance);
double innovation_trend_log_likelihood(const InnovationEvidence& evidence, double step_variance);

// Does the same with the maximum likelihood step variance.
std::vector<Measurement> innovation_trend(const InnovationEvidence& evidence);

// Returns exponentials with the sum r, to a few percent: r_j ~ sum_i weight_i decay_i^j.
struct Exponential {
  double weight;
  double decay;
};
std::vector<Exponential> exponentials_of(const std::vector<double>& response);

}  // namespace futurerand
