// Probabilities as 64-bit thresholds: an event happens if a uniform 64-bit integer is below its
// threshold, so its probability is exactly threshold / 2^64.
#pragma once

#include <cstdint>
#include <string>

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// Returns 2^64 - threshold, for the complementary event.
inline BigInt complement(std::uint64_t threshold) { return two_to(64) - threshold; }

// A flip must be possible, and rarer than a fair coin's.
inline Status check_flip(std::uint64_t flip) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  if (flip > 0 && flip < kHalf) return {};
  return Error{"flip threshold " + std::to_string(flip) +
               " is out of range; expected 1 to 2^63 - 1"};
}

}  // namespace futurerand
