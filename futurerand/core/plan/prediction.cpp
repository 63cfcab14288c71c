#include "futurerand/core/plan/prediction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace futurerand {
namespace {

// The bound x with sum over periods of P(|error_t| > x) = 5%.
double simultaneous_bound(const std::vector<double>& variances) {
  constexpr double kMissed = 0.05;
  const auto missed = [&](double x) {
    double sum = 0;
    for (const double variance : variances) sum += std::erfc(x / std::sqrt(2 * variance));
    return sum;
  };
  double low = 0;
  double high = std::sqrt(*std::max_element(variances.begin(), variances.end()));
  while (missed(high) > kMissed) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (missed(middle) > kMissed ? low : high) = middle;
  }
  return high;
}

}  // namespace

// Plain dyadic sum: popcount(t) nodes, each the mean of one order's users, a 1/(1+log d) share.
std::vector<double> predicted_variances(const Plan& plan) {
  const double c = to_double(gap(plan.views.front().law));
  const double node = static_cast<double>(plan.views.size()) / (c * c);
  std::vector<double> variances(plan.num_periods);
  for (Period t = 1; t <= plan.num_periods; ++t) variances[t - 1] = std::popcount(t) * node;
  return variances;
}

PredictedError predict_error(const Plan& plan, double num_users) {
  const std::vector<double> variances = predicted_variances(plan);
  double sum = 0;
  for (const double variance : variances) sum += variance;
  const double scale = std::sqrt(num_users);
  return {scale * std::sqrt(sum / plan.num_periods),
          scale * std::sqrt(*std::max_element(variances.begin(), variances.end())),
          scale * simultaneous_bound(variances)};
}

}  // namespace futurerand
