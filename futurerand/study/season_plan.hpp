// SeasonPlan: season lengths of a metric without an end, side by side: the error, the epsilon in
// any window and the epsilon in a life.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/study/plan_rows.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

struct SeasonChoice {
  Calendar calendar;
  Protocol protocol;
  std::uint32_t max_changes = 0;  // at most 2% of devices change more often in a season
  double share_sd = 0;            // of the share of all devices, at the resolution asked for
  std::int64_t in_window = 0;     // epsilons of any window, and of a whole lifetime
  std::int64_t in_life = 0;
};

struct SeasonPlan {
  std::vector<SeasonChoice> choices;  // by rising length
  // The longest season within 10% of the least error: the shorter ones cost more over a life.
  std::size_t best = 0;
};

inline constexpr double kErrorAllowance = 1.1;

// Compares seasons from one period to a life. One period is one randomized answer in each cycle
// (`once`); longer ones run `innovation`. Requires a window. Fails as make_plan does, or once
// stopped.
Result<SeasonPlan> make_season_plan(const PlanQuestion& question, const Progress& progress = {});

}  // namespace futurerand
