// InnovationFilter: what a weighted threshold law means for the server. A device that holds x_t
// reports kappa u_t in the mean, with
//
//   u_t = (x_t - 1/2) - (phi_1 (x_{t-1} - 1/2) + ... + phi_m (x_{t-m} - 1/2))
//
// where x is 1/2 before the device joined, or 0 if everybody starts at 0. Counts follow from sums
// of reports by running the filter backwards. The law defines the filter, so nothing has to match.
// core/law/innovation.md. Floating point: nothing here decides privacy.
#pragma once

#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"

namespace futurerand {

struct InnovationFilter {
  double kappa;
  double alpha;             // 1 - (phi_1 + ... + phi_m)
  std::vector<double> phi;  // element j-1 is phi_j
  bool starts_unknown;      // x is 1/2 before a device joins, not 0
  double least_square;      // mean square of a report that carries nothing: 1 unless it is sparse

  // Requires a valid law.
  explicit InnovationFilter(const WeightedThresholdLaw& law);

  // Returns r_0..r_{d-1}, the power series of 1 / (1 - phi_1 z - ... - phi_m z^m): how an error in
  // one period's report moves the counts from that period on. Takes O(d m).
  std::vector<double> response(Period num_periods) const;

  // Element a-1: the estimate for one device in its a-th period if its reports sum to zero in the
  // filter. It is 1/2, or grows from alpha/2 to 1/2 if everybody starts at 0.
  std::vector<double> offsets(Period num_periods) const;
};

}  // namespace futurerand
