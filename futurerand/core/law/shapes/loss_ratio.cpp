#include "futurerand/core/law/shapes/loss_ratio.hpp"

#include <algorithm>

namespace futurerand {

LossRatio loss_between(const std::vector<Fraction>& likelihoods) {
  const auto below = [](const Fraction& a, const Fraction& b) { return !less_or_equal(b, a); };
  const auto [smallest, largest] =
      std::minmax_element(likelihoods.begin(), likelihoods.end(), below);
  return {{largest->numerator * smallest->denominator, largest->denominator * smallest->numerator},
          1};
}

}  // namespace futurerand
