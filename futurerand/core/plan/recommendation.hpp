// Which protocol serves a metric best, when its operator does not say.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns the best plan that shows who is active (inactive.hpp). If no such protocol serves these
// parameters, or if yes/no facts never change, it returns the most accurate plan. Fails as
// make_plan does.
Result<Plan> recommended_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                              Initial initial = Initial::kZero, const Coding& coding = {});

// Returns the plan with the smallest predicted error of online estimates, of `innovation`, `hybrid`
// and, where it errs less for every population, `pulse`; `once` for facts that never change. No
// other protocol is ever better than hybrid (prediction_test.cpp). For metrics that count all
// devices that ever enrolled. Fails as make_plan does.
Result<Plan> most_accurate_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                                Initial initial = Initial::kZero, const Coding& coding = {});

// Tells whether a plan of `pulse` errs less than this for one user, over the root of their number:
// both if devices enter in all periods equally often, and in the worst population.
bool pulse_errs_less(const Plan& pulse, double rmse);

}  // namespace futurerand
