#include "futurerand/core/law/shapes/single_law.hpp"

namespace futurerand {

// The mean over J of the chance of sign J; the other k - 1 signs are fair.
Fraction SingleLaw::probability(std::uint32_t minus, std::uint32_t) const {
  const std::uint32_t k = num_signs;
  return {complement(flip) * (k - minus) + BigInt(flip) * minus, BigInt(k) << (64 + k - 1)};
}

// (k - i) q + i p falls with i, because p <= q.
LossRatio SingleLaw::loss_ratio() const {
  return loss_between({probability(0, 0), probability(num_signs, 0)});
}

Fraction SingleLaw::gap() const { return {complement(flip) - flip, BigInt(num_signs) << 64}; }

}  // namespace futurerand
