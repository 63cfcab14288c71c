// The counts of an `innovation` plan: sums of reports, through the filter run backwards.
//
//   f_t = (N_t / M_t) (sum of reports) / kappa + phi_1 f_{t-1} + ... + phi_m f_{t-m}
//   count = N_t / 2 + f_t
//
// for N_t devices enrolled and M_t reports. If everybody starts at 0, N_t alpha / 2 is part of f_t
// instead, and f_t is the count. The system is triangular, so later reports carry nothing about
// earlier counts: hindsight is online. core/law/innovation.md has the proofs.
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

  // Adds the next period, in O(t + m). A period without reports is undetermined, and later periods
  // use the one before it instead. Their variances then ignore the dependence of its error on
  // earlier ones. Requires fewer calls so far than the plan has periods.
  Measurement advance(const IndexSum& reports, double enrolled);

  // Element t-1 is period t. The counts so far, even undetermined ones, and the variance added by
  // each period's own innovation.
  const std::vector<double>& counts() const { return counts_; }
  const std::vector<double>& innovation_variances() const { return innovation_variances_; }
  // Tells how an error of one period's innovation moves the counts from then on.
  const std::vector<double>& response() const { return response_; }

 private:
  // The part of the count outside the filter.
  double middle(double enrolled) const { return filter_.starts_unknown ? enrolled / 2 : 0; }

  InnovationFilter filter_;
  std::vector<double> response_;
  std::vector<double> squares_;   // of response_
  std::vector<double> filtered_;  // f
  std::vector<double> counts_;
  std::vector<double> innovation_variances_;
};

}  // namespace futurerand
