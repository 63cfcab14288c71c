// CountRegion draws uniform vectors with a number of minus signs in a given set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "futurerand/core/randomizer/sign_vector.hpp"
#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {

// A region holds the counts of [first, last], or all others of 0..k.
struct CountSet {
  std::uint32_t first;
  std::uint32_t last;
  bool complement = false;

  bool contains(std::uint32_t count) const {
    return (first <= count && count <= last) != complement;
  }
};

// The work is bounded for every region. Uniform words are rejected only if at most
// kMaxRejectedWords of them are expected. Otherwise the count is drawn from the exact binomial
// weights, and then a uniform subset of that size.
class CountRegion {
 public:
  static constexpr std::uint32_t kMaxRejectedWords = 1024;

  // Requires max_rejected_words <= kMaxRejectedWords; tests choose fewer.
  CountRegion(std::uint32_t num_signs, CountSet counts,
              std::uint32_t max_rejected_words = kMaxRejectedWords);

  // Requires a region with some count of 0..k. Words may have fewer than 64 bits only if k is not
  // more.
  template <int kWordBits>
  void draw(BasicUniformBits<kWordBits>& bits, SignVector& signs) const {
    if (by_rejection()) {
      // A try takes a word or more, so that one try in kMaxRejectedWords or more succeeds.
      constexpr std::uint32_t kMostTries = kMaxRejectedWords * kMostTimesExpectedTries;
      for (std::uint32_t tries = 0; tries < kMostTries && !bits.failed(); ++tries) {
        for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, bits.word());
        if (counts_.contains(signs.count_minus())) return;
      }
      return bits.fail();
    }
    const BigInt pick = bits.below(num_vectors_);
    const auto weight = std::upper_bound(
        cumulative_.begin(), cumulative_.end(), pick,
        [](const BigInt& value, const Weight& entry) { return value < entry.up_to; });
    draw_subset(bits, weight->count, signs);
  }
  bool contains(std::uint32_t count) const { return counts_.contains(count); }
  bool by_rejection() const { return cumulative_.empty(); }

 private:
  // Makes a uniform subset of `size` positions minus, by Floyd's algorithm.
  template <int kWordBits>
  static void draw_subset(BasicUniformBits<kWordBits>& bits, std::uint32_t size,
                          SignVector& signs) {
    for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, 0);
    for (std::uint32_t j = signs.size() - size; j < signs.size(); ++j) {
      const std::uint32_t position = bits.below(j + 1);
      signs.set_minus(signs.is_minus(position) ? j : position, true);
    }
  }

  struct Weight {
    std::uint32_t count;
    BigInt up_to;  // vectors with this or an earlier count of the region
  };

  CountSet counts_;
  BigInt num_vectors_;
  std::vector<Weight> cumulative_;  // empty if rejection is quick
};

}  // namespace futurerand
