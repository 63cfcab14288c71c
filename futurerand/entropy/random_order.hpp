// RandomOrder: the numbers 0..n-1 in an unpredictable order, for any n, without storing it.
//
// It is a Feistel network over the next power of four, with SipHash under a random key as its round
// function. Numbers past n are walked over (Black and Rogaway, "Ciphers with arbitrary finite
// domains", 2002). The order is hidden computationally, not information-theoretically: there are
// fewer keys than orders.
//
// Thread safety: immutable after creation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

class RandomOrder {
 public:
  // Returns none if the source failed. Requires 1 <= size <= 2^62.
  static std::optional<RandomOrder> draw(std::uint64_t size, RandomSource& source);

  // Returns the number at a place. Requires place < size.
  std::uint64_t at(std::uint64_t place) const;

 private:
  RandomOrder(std::uint64_t size, const std::array<std::uint8_t, 16>& key);
  std::uint64_t round(std::uint64_t number) const;

  std::uint64_t size_;
  std::uint32_t half_bits_;
  std::array<std::uint8_t, 16> key_;
};

}  // namespace futurerand
