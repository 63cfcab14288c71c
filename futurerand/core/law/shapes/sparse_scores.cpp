#include "futurerand/core/law/shapes/sparse_scores.hpp"

#include <vector>

namespace futurerand {

SparseScores::SparseScores(const SparseLaw& law) : all(two_to(16 * law.num_signs)) {
  const std::uint32_t k = law.num_signs;
  const std::uint32_t silent = SparseLaw::kUnits - law.nonzero;
  const std::uint32_t one_sign = law.nonzero / 2;
  // Returns the coefficients of (one_sign / x + silent + one_sign x)^k, one factor at a time.
  // Element s + k is the coefficient of x^s.
  std::vector<BigInt> weights(2 * k + 1);
  weights[k] = 1;
  for (std::uint32_t factors = 0; factors < k; ++factors) {
    std::vector<BigInt> next(weights.size());
    for (std::uint32_t s = k - factors; s <= k + factors; ++s) {
      next[s - 1] += weights[s] * one_sign;
      next[s] += weights[s] * silent;
      next[s + 1] += weights[s] * one_sign;
    }
    weights = std::move(next);
  }
  for (std::uint32_t score = law.tau + 1; score <= k; ++score) {
    loud += weights[k + score];
    high_moment += weights[k + score] * score;
  }
}

}  // namespace futurerand
