// `trend` of an innovation plan: the counts that the filter gives, smoothed under the assumption
// that the share of devices that hold 1 is a random walk.
//
// The errors of neighbouring counts are correlated in a known way: they are one white noise through
// the filter's response r. Seven exponentials stand for r (to a few percent), so that a Kalman
// filter of eight states can tell the walk from the noise: O(d) work, however many lags the filter
// has, since whoever may read a metric may ask for it.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// This is what the filter said of each period, the first in element 0.
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
// step_variance); where devices first enrol, p is anywhere in [0,1]. Requires step_variance > 0.
std::vector<Measurement> innovation_trend(const InnovationEvidence& evidence, double step_variance);
double innovation_trend_log_likelihood(const InnovationEvidence& evidence, double step_variance);

// Does the same with the step variance that makes the evidence most likely.
std::vector<Measurement> innovation_trend(const InnovationEvidence& evidence);

// Returns the weights of exponentials whose sum is r, to a few percent: r_j ~ sum_i weight_i
// decay_i^j.
struct Exponential {
  double weight;
  double decay;
};
std::vector<Exponential> exponentials_of(const std::vector<double>& response);

}  // namespace futurerand
