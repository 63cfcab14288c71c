#include "futurerand/estimator/step_variance.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {

double fit_step_variance(double devices, Period periods,
                         const std::function<double(double)>& log_likelihood) {
  // The range reaches from a walk too small to see to one crossing [0,1] in one step. The former is
  // a hundredth of the resolution of counting everyone twice without noise.
  const double lowest = std::log(1e-4 / (std::max(1.0, devices) * std::max<Period>(1, periods)));
  const auto likelihood = [&](double log_variance) {
    return log_likelihood(std::exp(log_variance));
  };
  // A coarse scan comes first, since there may be several maxima, then a golden-section search in
  // its best cell.
  constexpr int kScan = 16;
  const double width = -lowest / kScan;
  int best = 0;
  double most = likelihood(lowest);
  for (int i = 1; i <= kScan; ++i) {
    const double value = likelihood(lowest + i * width);
    if (value > most) most = value, best = i;
  }
  double low = lowest + std::max(best - 1, 0) * width;
  double high = lowest + std::min(best + 1, kScan) * width;
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = likelihood(a), at_b = likelihood(b);
  while (high - low > 0.01) {  // half a percent of the step: far less than it is known to
    if (at_a > at_b) {
      high = b, b = a, at_b = at_a;
      a = high - kGolden * (high - low), at_a = likelihood(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + kGolden * (high - low), at_b = likelihood(b);
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace futurerand
