// Generalized randomized response (GRR), which several rivals share.
#pragma once

#include <cmath>
#include <cstdint>

#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/simulator/engines/bernoulli.hpp"

namespace futurerand {

// Returns an integer below `below`, uniform within below / 2^64. For simulations.
inline std::uint32_t simulated_uniform(UniformBits& bits, std::uint32_t below) {
  const std::uint64_t word = bits.word();
  return static_cast<std::uint32_t>(((word >> 32) * below + ((word & 0xffffffff) * below >> 32)) >>
                                    32);
}

// Keeps the value with chance `keep`, otherwise gives one of the others with equal chances.
struct RandomizedAnswer {
  std::uint32_t cells;
  double keep;

  static RandomizedAnswer of_epsilon(std::uint32_t cells, double epsilon) {
    return {cells, 1 / (1 + (cells - 1) * std::exp(-epsilon))};
  }
  // Returns the chance of one given other cell.
  double other() const { return (1 - keep) / (cells - 1); }

  std::uint32_t draw(std::uint32_t value, UniformBits& bits) const {
    if (bernoulli(bits, keep)) return value;
    const std::uint32_t drawn = simulated_uniform(bits, cells - 1);
    return drawn < value ? drawn : drawn + 1;
  }
};

}  // namespace futurerand
