// Habits: questions about what people do again and again. Their answers change too often for a
// small number of changes. The page warns of the same questions (dashboard/src/plan/habit.ts).
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

bool sounds_like_habit(std::string_view question);

// Returns a sentence if the question sounds like a habit and the plan has fewer changes than a
// quarter of its periods; otherwise nothing.
std::string habit_warning(std::string_view question, const Plan& plan);

}  // namespace futurerand
