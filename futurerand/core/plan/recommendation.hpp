// Which protocol serves a metric best, when its operator does not say.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns the best plan that shows who is active (inactive.hpp). If no such protocol serves these
// parameters, it returns the most accurate plan. Fails as make_plan does.
Result<Plan> recommended_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                              Initial initial = Initial::kZero, const Coding& coding = {});

// Returns the plan with the smaller predicted error of online estimates, of `innovation` and
// `hybrid`. No other protocol is ever better than hybrid (prediction_test.cpp). For metrics that
// count all devices that ever enrolled. Fails as make_plan does.
Result<Plan> most_accurate_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                                Initial initial = Initial::kZero, const Coding& coding = {});

}  // namespace futurerand
