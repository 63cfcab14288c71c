// EveryNoise: all noise vectors of a small WeightedThresholdLaw, one by one, with exact weights.
//
// Vectors and outputs are numbers with symbols as digits: the j-th digit is 0 for a plus, 1 for a
// minus and, for a sparse law, 2 for zero.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"

namespace futurerand {

class EveryNoise {
 public:
  // Requires a valid law with few enough symbols to enumerate all base()^num_signs vectors.
  explicit EveryNoise(const WeightedThresholdLaw& law);

  static constexpr std::uint32_t kMinus = 1;
  static constexpr std::uint32_t kZero = 2;

  std::uint32_t base() const { return base_; }
  // Returns base()^length.
  std::uint32_t num_vectors(std::uint32_t length) const { return powers_[length]; }
  std::uint32_t power(std::uint32_t position) const { return powers_[position]; }
  std::uint32_t digit(std::uint32_t number, std::uint32_t position) const {
    return number / powers_[position] % base_;
  }

  // The chance of a symbol of a null report (pure noise), times 2^null_bits().
  std::uint64_t null_weight(std::uint32_t symbol) const { return symbol == kZero ? silent_ : 1; }
  std::uint32_t null_bits() const { return null_bits_; }

  // Returns, by vector, the chance of its symbols at the positions of a mask, times a common factor
  // of all masks. Its digits at other positions are 0.
  const std::vector<BigInt>& weights_at(std::uint32_t mask);

 private:
  std::uint32_t base_;
  std::uint32_t null_bits_;
  std::uint64_t silent_;  // the null weight of silence
  std::vector<std::uint32_t> powers_;
  std::vector<BigInt> weights_;  // by vector
  std::map<std::uint32_t, std::vector<BigInt>> by_mask_;
};

}  // namespace futurerand
