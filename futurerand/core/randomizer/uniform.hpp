// Uniform integers and biased coins from uniform bits, exactly: by comparing integers and, for a
// range other than a power of two, by rejection. There is no floating point.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

// Factor over the largest expected number of tries. A rejection loop with more tries fails as if
// the source had failed. With a success probability of p or more, this happens with a probability
// of at most (1 - p)^(128 / p) < e^-128, below 2^-184: never, unless the source is broken. Then
// nobody joins, instead of trying for ever.
inline constexpr std::uint32_t kMostTimesExpectedTries = 128;

// Reads a source word by word. After a failure of the source every draw is 0 and failed() is true.
// Callers check once, at the end, and every rejection loop here ends.
//
// Devices use all 64 bits of a word. Tests use the lowest few. So tests can play every tape of
// words and see the exact law of the same code.
template <int kWordBits>
class BasicUniformBits {
 public:
  static_assert(1 <= kWordBits && kWordBits <= 64);

  explicit BasicUniformBits(RandomSource& source) : source_(source) {}

  bool failed() const { return failed_; }
  // Behaves as if the source had failed.
  void fail() { failed_ = true; }

  std::uint64_t word() {
    std::uint64_t word = 0;
    if (failed_ || !source_.fill({&word, 1})) {
      failed_ = true;
      return 0;
    }
    return word & kMask;
  }

  // Returns true with probability threshold / 2^64; with fewer bits a word, the threshold's lowest
  // ones do not count.
  bool happens(std::uint64_t threshold) { return word() < threshold >> (64 - kWordBits); }

  // Returns a uniform integer in 0..bound-1. Requires 1 <= bound <= 2^kWordBits.
  std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t mask = std::bit_ceil(std::uint64_t{bound}) - 1;
    for (std::uint32_t tries = 0; tries < kMostTries; ++tries) {
      const std::uint64_t candidate = word() & mask;
      if (candidate < bound) return static_cast<std::uint32_t>(candidate);
    }
    fail();
    return 0;
  }

  // Requires bound >= 1.
  BigInt below(const BigInt& bound) {
    const auto bits = static_cast<std::uint32_t>(msb(bound)) + 1;
    std::vector<std::uint64_t> words((bits + kWordBits - 1) / kWordBits);
    for (std::uint32_t tries = 0; tries < kMostTries; ++tries) {
      for (std::uint64_t& part : words) part = word();
      if (bits % kWordBits != 0) words.back() &= (std::uint64_t{1} << (bits % kWordBits)) - 1;
      BigInt candidate;
      import_bits(candidate, words.begin(), words.end(), kWordBits, false);
      if (candidate < bound) return candidate;
    }
    fail();
    return 0;
  }

  // Returns a word with independent bits: each lane is set with the probability of
  // happens(threshold). It makes kWordBits comparisons at once, bit by bit from the top, until
  // every lane is decided (8 words, not 64, on average). Requires lanes among the lowest kWordBits.
  std::uint64_t biased_word(std::uint64_t threshold, std::uint64_t lanes) {
    std::uint64_t less = 0;
    for (int bit = 63; bit >= 64 - kWordBits && lanes != 0; --bit) {
      const std::uint64_t uniform = word();
      if ((threshold >> bit) & 1U) {
        less |= lanes & ~uniform;
        lanes &= uniform;
      } else {
        lanes &= ~uniform;
      }
    }
    return less;
  }

 private:
  static constexpr std::uint64_t kMask = ~std::uint64_t{0} >> (64 - kWordBits);
  // More than half of the candidates are below the bound.
  static constexpr std::uint32_t kMostTries = 2 * kMostTimesExpectedTries;

  RandomSource& source_;
  bool failed_ = false;
};

using UniformBits = BasicUniformBits<64>;

}  // namespace futurerand
