#include <algorithm>
#include <cmath>

#include "futurerand/estimator/estimate.hpp"

namespace futurerand {
namespace {

// Returns z with P(|Z| > z) = missed for a standard normal Z. It bisects on the tail, so that it is
// exact to rounding for tiny tails too.
double two_sided_quantile(double missed) {
  double low = 0, high = 1;
  while (std::erfc(high / std::sqrt(2.0)) > missed) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > missed ? low : high) = middle;
  }
  return high;
}

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

// By Sidak (1967), for jointly normal errors, whatever their correlation, P(all |Z_t| <= z) >=
// prod_t P(|Z_t| <= z). This is a little narrower than the union bound.
std::vector<Band> simultaneous_bands(const std::vector<PeriodEstimate>& estimates, double level) {
  const auto uncertain = [](const PeriodEstimate& at) { return at.stddev > 0; };
  const auto periods = std::count_if(estimates.begin(), estimates.end(), uncertain);
  const double each = std::log(level) / static_cast<double>(std::max<std::ptrdiff_t>(periods, 1));
  return bands(estimates, -std::expm1(each));
}

}  // namespace futurerand
