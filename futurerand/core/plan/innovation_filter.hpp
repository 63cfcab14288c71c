// InnovationFilter: what a weighted threshold law means for the server. A device that holds x_t
// reports kappa u_t in the mean, with
//
//   u_t = x_t - (phi_1 x_{t-1} + ... + phi_m x_{t-m}) - alpha / 2
//
// so that counts follow from sums of reports by running the filter backwards. The law defines the
// filter: nothing has to match. core/law/innovation.md. Floating point: nothing here decides
// privacy.
#pragma once

#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"

namespace futurerand {

struct InnovationFilter {
  double kappa;
  double alpha;
  std::vector<double> phi;  // element j-1 is phi_j
  double least_square;      // the mean square of a report that tells nothing: 1 unless it is quiet

  // Requires a valid law.
  explicit InnovationFilter(const WeightedThresholdLaw& law);

  // Returns r_0..r_{d-1}, the power series of 1 / (1 - phi_1 z - ... - phi_m z^m): how an error in
  // one period's innovation moves the counts from that period on. Takes O(d m).
  std::vector<double> response(Period num_periods) const;
};

}  // namespace futurerand
