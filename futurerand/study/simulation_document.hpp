// Results of simulations as documents: the JSON of `simulate` and `compare`, and the rows in
// Python.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "futurerand/study/run_simulation.hpp"

namespace futurerand {

// Writes the keys of one protocol's result, its series of periods included.
nlohmann::ordered_json to_json(const SimulationQuestion& question, std::uint64_t num_users,
                               const TimedResult& timed);
nlohmann::ordered_json to_json(const SimulationQuestion& question, const SimulationAnswer& answer);
nlohmann::ordered_json to_json(const SimulationQuestion& question, const ComparisonAnswer& answer);

// Returns the width of the band of a typical period; not a number if no period has one.
double typical_band(const SimulationResult& result);

// The given parts of a pattern: "joining staggered, 1.6% leave after each period".
std::string describe(const ChurnPattern& churn);

}  // namespace futurerand
