// Populations for `pulse` by their periods of entry, and its errors on them. Seeds are fixed.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "futurerand/core/plan/pulse_design.hpp"
#include "futurerand/simulator/test/innovation_errors.hpp"

namespace futurerand {

inline constexpr std::uint64_t kPulseUsers = 1500;

inline InnovationErrors pulse_errors(const Population& population, Period periods, int trials,
                                     Engine engine, const char* epsilon) {
  return errors_of(population, periods, 1, trials, engine, epsilon, Initial::kZero,
                   Protocol::kPulse);
}

// Of `population[s-1]` of the users the entry is in period s; of the rest never.
inline Population entering(const std::vector<double>& population, Period periods) {
  std::vector<UserValues> panel;
  double due = 0;
  for (Period entry = 1; entry <= periods + 1; ++entry) {
    due += population[entry - 1] * kPulseUsers;
    while (static_cast<double>(panel.size()) + 0.5 < due) {
      panel.push_back({std::to_string(panel.size()), {}});
      if (entry <= periods) panel.back().changes.push_back({entry, true});
    }
  }
  return *Population::from_panel(panel, {panel.size(), periods, 1}, kStatisticsKey);
}

inline std::vector<double> all_in(Period entry, Period periods) {
  std::vector<double> population(periods + 1);
  population[entry - 1] = 1;
  return population;
}

// Looks at every period, or at 256 of them.
inline PulsePrediction pulse_prediction(Period periods, const char* epsilon) {
  const Plan plan = *make_plan(Protocol::kPulse, periods, 1, *Epsilon::parse(epsilon));
  return PulsePrediction(pulse_classes(plan), periods, std::min(periods, Period{256}));
}

}  // namespace futurerand
