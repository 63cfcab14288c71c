// Memoization, as RAPPOR and dBitFlip do it for a yes/no state: a user draws one bit for each of
// the two values, once, and whenever it holds a value that value's bit stands for it.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// This is the probability that a memoized bit is 1, by the value that it stands for.
struct MemoizedBits {
  double one_if_zero;
  double one_if_one;
};

// Returns how many users' bit is 1; element t-1 is period t.
std::vector<std::uint64_t> count_memoized(const Population& population, const Trial& trial,
                                          const MemoizedBits& bits);

}  // namespace futurerand
