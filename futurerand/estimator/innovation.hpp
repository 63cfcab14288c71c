// The counts of an `innovation` plan: sums of innovation, through the filter run backwards.
//
//   x_t = (N_t / M_t) (sum of reports) / kappa + N_t alpha / 2 + phi_1 x_{t-1} + ... + phi_m
//   x_{t-m}
//
// for N_t devices enrolled and M_t reports. The system is triangular, so later reports say nothing
// of earlier counts: online is hindsight. core/law/innovation.md has the proofs.
//
// Thread safety: plain values; const calls may run at once.
#pragma once

#include <vector>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

class InnovationCounts {
 public:
  // Requires a valid plan of `innovation`.
  explicit InnovationCounts(const Plan& plan);

  // Adds the next period, in O(t + m). A period without reports is undetermined and counts as the
  // one before it for those that follow; that its error depends on earlier ones is then left out of
  // their variances. Requires fewer calls so far than the plan has periods.
  Measurement advance(const IndexSum& reports, double enrolled);

  // Element t-1 is period t: the counts so far, also where they are undetermined, and the variance
  // that each period's own innovation added.
  const std::vector<double>& counts() const { return counts_; }
  const std::vector<double>& innovation_variances() const { return innovation_variances_; }
  // Tells how an error of one period's innovation moves the counts from then on.
  const std::vector<double>& response() const { return response_; }

 private:
  InnovationFilter filter_;
  std::vector<double> response_;
  std::vector<double> squares_;  // of response_
  std::vector<double> counts_;
  std::vector<double> innovation_variances_;
};

}  // namespace futurerand
