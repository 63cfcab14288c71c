#include "futurerand/core/plan/innovation_filter.hpp"

#include <algorithm>

namespace futurerand {

InnovationFilter::InnovationFilter(const WeightedThresholdLaw& law)
    : kappa(to_double(law.gap())),
      least_square(static_cast<double>(law.nonzero) / SparseLaw::kUnits) {
  const auto gap_of = [](const WeightedThresholdLaw::Level& level) {
    return static_cast<double>(level.gap) /
           static_cast<double>(std::uint64_t{1} << WeightedThresholdLaw::kGapBits);
  };
  alpha = 2 * gap_of(law.levels.back()) / kappa;
  for (std::size_t j = 1; j < law.levels.size(); ++j) {
    phi.push_back((gap_of(law.levels[j - 1]) - gap_of(law.levels[j])) / kappa);
  }
}

std::vector<double> InnovationFilter::response(Period num_periods) const {
  std::vector<double> r(num_periods);
  if (num_periods > 0) r[0] = 1;
  for (std::size_t t = 1; t < r.size(); ++t) {
    double sum = 0;
    for (std::size_t j = 0; j < std::min(t, phi.size()); ++j) sum += phi[j] * r[t - 1 - j];
    r[t] = sum;
  }
  return r;
}

}  // namespace futurerand
