// The design of `innovation`: the weights of its levels, so that the mean variance over the periods
// is smallest. It searches in floating point. Privacy rests on one integer, the high side, which is
// computed exactly. The plan carries the integers.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"
#include "futurerand/core/plan/initial.hpp"

namespace futurerand {

enum class Sparse { kWhereItPays, kNever };

// Fails, saying why, unless there are more periods than signs for one lag (max_changes, and one for
// an unknown start) and at most 4096 periods. Above that a certificate would take a device too
// long.
Result<WeightedThresholdLaw> design_innovation(Period num_periods, std::uint32_t max_changes,
                                               Epsilon epsilon, Initial initial = Initial::kZero,
                                               Sparse sparse = Sparse::kWhereItPays);

// Returns the largest high side that spends at most epsilon, given all else of a law.
std::uint64_t largest_high_side(const WeightedThresholdLaw& law, Epsilon epsilon);

// Element t-1 is the variance of the estimate at period t, over the number of users.
std::vector<double> innovation_variances(const WeightedThresholdLaw& law, Period num_periods);

}  // namespace futurerand
