// Uniform vectors among those whose number of minus signs lies in a given set.
#pragma once

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

// Bounded work for every region: uniform words are rejected only while that is expected to take at
// most kMaxRejectedWords of them; otherwise the count is drawn from the exact binomial weights and
// then a uniform subset of that size.
class CountRegion {
 public:
  static constexpr std::uint32_t kMaxRejectedWords = 1024;

  CountRegion(std::uint32_t num_signs, CountSet counts);

  // Requires a region that contains some count of 0..k.
  void draw(UniformBits& bits, SignVector& signs) const;
  bool contains(std::uint32_t count) const { return counts_.contains(count); }
  bool by_rejection() const { return cumulative_.empty(); }

 private:
  struct Weight {
    std::uint32_t count;
    BigInt up_to;  // vectors with this or an earlier count of the region
  };

  CountSet counts_;
  BigInt num_vectors_;
  std::vector<Weight> cumulative_;  // empty where rejection is quick
};

}  // namespace futurerand
