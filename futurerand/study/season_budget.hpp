// The cost of seasons: in one of them, in any window and in a device's lifetime. The latter two are
// always stated together, because a lasting fact is reported again in every season.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/plan/calendar.hpp"

namespace futurerand {

inline constexpr std::int64_t kDefaultLife = 1095;  // periods: three years of days

struct SeasonBudget {
  double epsilon;       // of one season
  std::int64_t window;  // in periods, and how many seasons it meets at most
  std::int64_t in_window;
  std::int64_t life;
  std::int64_t in_life;

  // The window is the rest, or one period if there is none.
  static SeasonBudget of(const Calendar& calendar, Epsilon epsilon,
                         std::optional<std::int64_t> window = {},
                         std::int64_t life = kDefaultLife) {
    const std::int64_t periods = window.value_or(calendar.rest() > 0 ? calendar.rest() : 1);
    return {epsilon.value(), periods, calendar.seasons_in(periods), life,
            calendar.seasons_in(life)};
  }
  double epsilon_in_window() const { return epsilon * static_cast<double>(in_window); }
  double epsilon_in_life() const { return epsilon * static_cast<double>(in_life); }
};

inline void put_budget(const SeasonBudget& budget, nlohmann::ordered_json& json) {
  json["epsilon_in_season"] = budget.epsilon;
  json["window"] = budget.window;
  json["epsilon_in_window"] = budget.epsilon_in_window();
  json["life"] = budget.life;
  json["epsilon_in_life"] = budget.epsilon_in_life();
}

}  // namespace futurerand
