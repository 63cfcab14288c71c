// Binomial counts, exactly: coins are counted 64 at a time, never approximated.
#pragma once

#include <cstdint>

#include "futurerand/simulator/philox.hpp"

namespace futurerand {

// Heads among n fair coins. n / 64 words of randomness.
std::uint64_t binomial_half(PhiloxSource& source, std::uint64_t n);

// Successes among n trials of probability threshold / 2^64. About n / 32 words of randomness.
std::uint64_t binomial(PhiloxSource& source, std::uint64_t n, std::uint64_t threshold);

}  // namespace futurerand
