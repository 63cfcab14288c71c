// Biased coins of the simulated rivals. Their probabilities are floats, rounded to a threshold over
// 2^64. They are for simulations only; the devices of plans have exact thresholds.
#pragma once

#include <cstdint>

#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {

// Requires 0 <= p <= 1.
inline std::uint64_t threshold_of(double p) {
  return p >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(p * 0x1p64);
}

inline bool bernoulli(UniformBits& bits, double p) { return bits.word() < threshold_of(p); }

}  // namespace futurerand
