// Uniform integers and biased coins from uniform bits, exactly: comparisons of integers, rejection
// where the range is no power of two, no floating point.
#pragma once

#include <cstdint>

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

// Reads a source word by word. After a failure of the source every draw is 0 and failed() is true:
// callers check once, at the end, and every rejection loop here ends.
class UniformBits {
 public:
  explicit UniformBits(RandomSource& source) : source_(source) {}

  bool failed() const { return failed_; }
  // As if the source had failed.
  void fail() { failed_ = true; }

  std::uint64_t word() {
    std::uint64_t word = 0;
    if (failed_ || !source_.fill({&word, 1})) {
      failed_ = true;
      return 0;
    }
    return word;
  }

  // Uniform in 0..bound-1. Requires bound >= 1.
  std::uint32_t below(std::uint32_t bound);
  BigInt below(const BigInt& bound);

  // A set bit in each of the lanes with probability threshold / 2^64, independently: 64 comparisons
  // at once, bit by bit from the top, until every lane is decided (8 words, not 64, on average).
  std::uint64_t biased_word(std::uint64_t threshold, std::uint64_t lanes);

 private:
  RandomSource& source_;
  bool failed_ = false;
};

}  // namespace futurerand
