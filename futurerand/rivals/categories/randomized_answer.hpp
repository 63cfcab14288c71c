// Generalized randomized response (GRR), shared by several rivals.
#pragma once

#include <bit>
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

// Returns the used bits of word w: 64 values a word.
inline std::uint64_t lanes_of(std::uint32_t num_values, std::uint32_t w) {
  const std::uint32_t left = num_values - 64 * w;
  return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

// Draws one bit for each value, set with chance `own` for one value and `other` for the rest. Calls
// visit(v) for the set bits, in rising order.
template <typename Rates, typename Visit>
void for_each_set_bit(std::uint32_t num_values, std::uint32_t value, const Rates& rates,
                      UniformBits& bits, Visit&& visit) {
  const bool own = bernoulli(bits, rates.own);
  for (std::uint32_t w = 0; 64 * w < num_values; ++w) {
    std::uint64_t set = bits.biased_word(threshold_of(rates.other), lanes_of(num_values, w));
    if (value / 64 == w) {
      const std::uint64_t bit = std::uint64_t{1} << (value % 64);
      set = own ? set | bit : set & ~bit;
    }
    for (; set != 0; set &= set - 1) {
      visit(64 * w + static_cast<std::uint32_t>(std::countr_zero(set)));
    }
  }
}

}  // namespace futurerand
