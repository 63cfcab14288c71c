// Which protocol serves a metric best, when its operator does not say.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns the plan with the smaller predicted error of online estimates, of `innovation` and
// `hybrid`; none of the others is ever better than hybrid (prediction_test.cpp). Fails as make_plan
// does.
Result<Plan> recommended_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
