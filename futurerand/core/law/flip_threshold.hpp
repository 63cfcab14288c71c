// The probability 1 / (e^x + 1) of reversing one sign, as a 64-bit threshold.
// Rounded up, toward 1/2: a coin that flips a little too often only ever spends less.
#pragma once

#include <cstdint>

#include "futurerand/core/base/exact.hpp"

namespace futurerand {

// ceil(2^64 / (ratio + 1)). Requires ratio >= 1 and, for privacy, ratio <= e^x.
std::uint64_t flip_threshold(const Fraction& ratio);

}  // namespace futurerand
