#include "futurerand/core/law/flip_threshold.hpp"

namespace futurerand {

std::uint64_t flip_threshold(const Fraction& ratio) {
  const BigInt denominator = ratio.numerator + ratio.denominator;
  const BigInt up = ((ratio.denominator << 64) + denominator - 1) / denominator;
  return up.convert_to<std::uint64_t>();
}

}  // namespace futurerand
