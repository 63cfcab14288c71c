// Memoization for a yes/no state, as in RAPPOR and dBitFlip. A user draws one bit for each of the
// two values, once. From then on the bit stands for its value.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// The probability of a memoized 1, by the value behind the bit.
struct MemoizedBits {
  double one_if_zero;
  double one_if_one;
};

// Returns how many users' bit is 1; element t-1 is period t.
std::vector<std::uint64_t> count_memoized(const Population& population, const Trial& trial,
                                          const MemoizedBits& bits);

}  // namespace futurerand
