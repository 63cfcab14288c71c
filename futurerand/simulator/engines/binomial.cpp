#include "futurerand/simulator/engines/binomial.hpp"

#include <bit>

namespace futurerand {

std::uint64_t binomial_half(PhiloxSource& source, std::uint64_t n) {
  std::uint64_t heads = 0;
  for (; n >= 64; n -= 64) heads += static_cast<std::uint64_t>(std::popcount(source.word()));
  if (n > 0) {
    const std::uint64_t rest = source.word() >> (64 - n);
    heads += static_cast<std::uint64_t>(std::popcount(rest));
  }
  return heads;
}

// Compares n uniform 64-bit numbers with the threshold at once, bit by bit from the top: of those
// still equal so far, a fair half has a 0 next. Below a 1 of the threshold, a 0 is a success.
std::uint64_t binomial(PhiloxSource& source, std::uint64_t n, std::uint64_t threshold) {
  std::uint64_t successes = 0;
  for (int bit = 63; bit >= 0 && n > 0; --bit) {
    const std::uint64_t zeros = binomial_half(source, n);
    if ((threshold >> bit) & 1U) {
      successes += zeros;
      n -= zeros;
    } else {
      n = zeros;
    }
  }
  return successes;
}

}  // namespace futurerand
