// The probability 1 / (e^x + 1) of reversing one sign, as a 64-bit threshold. It is rounded up,
// toward 1/2: a coin with slightly more flips spends less.
#pragma once

#include <cstdint>

#include "futurerand/core/base/exact.hpp"

namespace futurerand {

// Returns ceil(2^64 / (ratio + 1)). Requires ratio >= 1; privacy also needs ratio <= e^x.
std::uint64_t flip_threshold(const Fraction& ratio);

}  // namespace futurerand
