// Expected sums: the sums of a large fleet with exactly the plan's weights. Each view and start has
// its share of devices, all from the first period on. Each report is its expectation, to the
// nearest integer. Except for noise, the estimate from these sums is the expected estimate of any
// fleet.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <functional>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The mean report, from -1 to 1, of the devices due to report this index of a view.
using MeanReport = std::function<double(std::uint32_t view, std::uint32_t index)>;

// Enough for one more device to be a small part of each index. Sums stay far below the rounding
// limits of a double.
inline constexpr double kFewestPerIndex = 1 << 16;

// The mean report of a view of `pulse` if this share of its devices entered within its window.
double mean_pulse(const PulseLaw& law, double entering);

// At least `fewest` devices report each index. Requires a valid plan.
Sums expected_sums_with(const Plan& plan, const MeanReport& mean, double fewest = kFewestPerIndex);

// The same fleet. This share of it, 0 to 1, holds 1 from the first period on.
Sums steady_expected_sums(const Plan& plan, double holding);

}  // namespace futurerand
