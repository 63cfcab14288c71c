// Binomial counts, exactly: coins are counted 64 at a time, never approximated.
#pragma once

#include <cstdint>

#include "futurerand/simulator/populations/philox.hpp"

namespace futurerand {

// Counts the heads among n fair coins. It takes n / 64 words of randomness.
std::uint64_t binomial_half(PhiloxSource& source, std::uint64_t n);

// Counts the successes among n trials of probability threshold / 2^64. It takes about n / 32 words
// of randomness.
std::uint64_t binomial(PhiloxSource& source, std::uint64_t n, std::uint64_t threshold);

}  // namespace futurerand
