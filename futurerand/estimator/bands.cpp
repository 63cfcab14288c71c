#include <algorithm>
#include <cmath>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {
namespace {

std::vector<Band> bands(const std::vector<PeriodEstimate>& estimates, double missed) {
  const double z = two_sided_quantile(missed);
  std::vector<Band> bands;
  bands.reserve(estimates.size());
  for (const PeriodEstimate& at : estimates) {
    bands.push_back({at.estimate - z * at.stddev, at.estimate + z * at.stddev});
  }
  return bands;
}

}  // namespace

std::vector<Band> pointwise_bands(const std::vector<PeriodEstimate>& estimates, double level) {
  return bands(estimates, 1 - level);
}

// Sidak (1967): for jointly normal errors with any correlation, P(all |Z_t| <= z) >= prod_t P(|Z_t|
// <= z). This is a little narrower than the union bound.
std::vector<Band> simultaneous_bands(const std::vector<PeriodEstimate>& estimates, double level,
                                     Period horizon) {
  const auto uncertain = [](const PeriodEstimate& at) { return at.stddev > 0; };
  const auto known = std::count_if(estimates.begin(), estimates.end(), uncertain);
  const auto periods = std::max({known, std::ptrdiff_t{horizon}, std::ptrdiff_t{1}});
  const double each = std::log(level) / static_cast<double>(periods);
  return bands(estimates, -std::expm1(each));
}

}  // namespace futurerand
