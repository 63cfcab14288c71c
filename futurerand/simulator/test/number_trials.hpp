// For tests: trials of `innovation` over a built-in population of numbers.
#pragma once

#include <string_view>

#include "futurerand/simulator/plan_protocol.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand {

inline SimulationResult simulate_numbers(std::string_view name, ProtocolSettings settings,
                                         Initial initial, std::uint64_t trials) {
  settings.initial = initial;
  settings.coding = *Coding::create(NumberCoding{-20, 40, "degrees"});
  SimulationSettings simulation;
  simulation.key = SimulationKey::from_seed(12);
  simulation.trials = trials;
  simulation.threads = 2;
  const Population population = *Population::named(
      name,
      {settings.num_users, settings.num_periods, settings.max_changes, initial, settings.coding},
      simulation.key);
  const auto protocol = *make_plan_protocol("innovation", settings);
  return *simulate(*protocol, population, true_counts(population, Workers(1)), simulation);
}

}  // namespace futurerand
