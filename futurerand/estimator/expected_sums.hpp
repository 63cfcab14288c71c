// The sums of a large fleet that is as a plan asks for: as many devices of each view and start as
// its weight says, all from the first period on, whose reports are what they are on average, to the
// nearest integer. What an estimator says of it is the expectation of what it says of any fleet,
// but for the noise.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <functional>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The mean report of the devices that owe this index of a view, from -1 to 1.
using MeanReport = std::function<double(std::uint32_t view, std::uint32_t index)>;

// One more device is then a small part of each index, and sums are far from where a double rounds.
inline constexpr double kFewestPerIndex = 1 << 16;

// The mean report of a view of `pulse` if this share of its devices entered within its window.
double mean_pulse(const PulseLaw& law, double entering);

// At least so many devices report each index. Requires a valid plan.
Sums expected_sums_with(const Plan& plan, const MeanReport& mean, double fewest = kFewestPerIndex);

// Of whom this share, 0 to 1, holds 1 from the first period on.
Sums steady_expected_sums(const Plan& plan, double holding);

}  // namespace futurerand
