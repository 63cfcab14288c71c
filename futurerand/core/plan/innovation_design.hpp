// The design of `innovation`: how loudly a device tells fresh innovation and how quietly old, so
// that the mean variance over the periods is smallest. It searches in floating point, but for the
// one integer on which privacy rests; the plan carries the integers.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"

namespace futurerand {

enum class Silence { kWhereItPays, kNever };

// Fails, saying why, unless max_changes < num_periods <= 4096: a device needs a sign for each
// change and one that is settled, and above that the certificate would take a device too long.
Result<WeightedThresholdLaw> design_innovation(Period num_periods, std::uint32_t max_changes,
                                               Epsilon epsilon,
                                               Silence silence = Silence::kWhereItPays);

// Returns the largest high side that spends at most epsilon, given all else of a law.
std::uint64_t largest_high_side(const WeightedThresholdLaw& law, Epsilon epsilon);

// Element t-1 is the variance of the estimate at period t, over the number of users.
std::vector<double> innovation_variances(const WeightedThresholdLaw& law, Period num_periods);

}  // namespace futurerand
