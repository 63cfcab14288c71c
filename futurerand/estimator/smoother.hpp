// All that the reports of a hybrid plan say of every period, past ones improved by later ones:
// `hindsight`, and `trend` with its prior. hybrid.md has the proofs.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// This is what was due by a period, measured. Snapshots have the variances that the online filter
// gave them.
struct Evidence {
  std::vector<double> enrolled;                   // N_t; element t, 0 for t = 0
  std::vector<std::vector<Measurement>> changes;  // by order; element j-1 is interval j
  std::vector<Measurement> snapshots;             // element t

  Period up_to() const { return static_cast<Period>(enrolled.size() - 1); }
};

// Requires a valid hybrid plan, its sums, and up_to <= num_periods.
Evidence gather(const Plan& plan, const Sums& sums, Period up_to);

// Returns the generalised least squares estimate of periods 1..up_to from all the evidence, in
// O(d).
std::vector<Measurement> hindsight(const Evidence& evidence);

// Does the same with a prior: N_t p_t devices hold 1, and p_t - p_(t-1) ~ Normal(0, step_variance);
// where devices first enrol, p is anywhere in [0,1] (mean 1/2, variance 1/12). Without any report
// it is as undetermined as hindsight. Requires step_variance > 0.
std::vector<Measurement> trend(const Evidence& evidence, double step_variance);
double trend_log_likelihood(const Evidence& evidence, double step_variance);
// Returns the step variance that makes the evidence most likely.
double fit_step_variance(const Evidence& evidence);

}  // namespace futurerand
