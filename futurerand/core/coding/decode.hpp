// Decoding: from sums by row to counts by code. All of it is linear and uses known chances of rows,
// so it is unbiased for every number of devices. See coding.md.
//
// Let psi be a device's own estimate of its state, as a share of the full scale. The sum of a row
// is the sum of 2 psi - 1 over its devices. Element 0 is not used.
#pragma once

#include <span>
#include <vector>

#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

// Replaces a by its Walsh-Hadamard transform: a[v] becomes the sum over r of a[r]
// (-1)^popcount(r&v). Requires a size that is a power of two.
void walsh_hadamard(std::span<double> a);

// Replaces sums by row by estimated counts by code: how many of `devices` devices hold each value.
// For yes/no, code 1 is yes. For a number, element 1 is the sum of the shares of the full scale.
// The counts of all codes sum to `devices`. Requires num_codes() elements.
void decode_counts(const Coding& coding, std::span<double> sums, double devices);
// Returns the one count, without the others. The same number up to rounding.
double decode_count(const Coding& coding, std::span<const double> sums, double devices,
                    std::uint32_t code);

// Returns the counts below each threshold: element k is the count of codes 0..k-1, so the first is
// 0 and the last is the number of devices.
std::vector<double> cumulative_counts(std::span<const double> counts);

}  // namespace futurerand
