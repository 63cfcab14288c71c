#include "futurerand/core/law/shapes/product_law.hpp"

namespace futurerand {

Fraction product_probability(std::uint32_t k, std::uint64_t flip, std::uint32_t minus) {
  return {power(flip, minus) * power(complement(flip), k - minus), two_to(64 * k)};
}

Fraction ProductLaw::probability(std::uint32_t minus, std::uint32_t) const {
  return product_probability(num_signs, flip, minus);
}

// The ratio P(0) / P(k) is (q / p)^k. It is never written out.
LossRatio ProductLaw::loss_ratio() const { return {{complement(flip), flip}, num_signs}; }

Fraction ProductLaw::gap() const { return {complement(flip) - flip, two_to(64)}; }

}  // namespace futurerand
