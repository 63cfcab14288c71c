#include "futurerand/core/plan/innovation_filter.hpp"

#include <algorithm>

namespace futurerand {

InnovationFilter::InnovationFilter(const WeightedThresholdLaw& law)
    : starts_unknown(law.start_levels > 0),
      least_square(static_cast<double>(law.nonzero) / SparseLaw::kUnits) {
  const std::vector<std::uint64_t> gaps = law.filter_gaps();
  const auto gap_of = [&](std::size_t j) {
    return static_cast<double>(gaps[j]) /
           static_cast<double>(std::uint64_t{1} << WeightedThresholdLaw::kGapBits);
  };
  kappa = gap_of(0) + gap_of(gaps.size() - 1);
  alpha = 2 * gap_of(gaps.size() - 1) / kappa;
  for (std::size_t j = 1; j < gaps.size(); ++j) {
    phi.push_back((gap_of(j - 1) - gap_of(j)) / kappa);
  }
}

std::vector<double> InnovationFilter::offsets(Period num_periods) const {
  if (starts_unknown) return std::vector<double>(num_periods, 0.5);
  std::vector<double> offsets = response(num_periods);
  double sum = 0;
  for (double& r : offsets) r = (sum += r) * alpha / 2;
  return offsets;
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
