#include "futurerand/estimator/normal_quantile.hpp"

#include <cmath>

namespace futurerand {

// Bisection on the tail.
double two_sided_quantile(double missed) {
  double low = 0, high = 1;
  while (std::erfc(high / std::sqrt(2.0)) > missed) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > missed ? low : high) = middle;
  }
  return high;
}

}  // namespace futurerand
