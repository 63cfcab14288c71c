// How results of simulations are printed: one shape for `simulate` and `compare`.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "apps/cli/simulation_flags.hpp"

namespace futurerand::apps {

struct TimedResult {
  SimulationResult result;
  double seconds;
};

// Writes the keys of one protocol's result, its series of periods included.
nlohmann::ordered_json to_json(const SimulationFlags& flags, std::uint64_t num_users,
                               const TimedResult& timed);

// Writes "private over the whole sequence, offline; note".
std::string guarantee_text(const ProtocolTraits& traits);
// Writes "period 1", or "after all" where nothing is known before all periods are over.
std::string first_answer(const ProtocolTraits& traits);

// Returns the width of the band of a typical period; not a number if no period has one.
double typical_band(const SimulationResult& result);

// Writes "100,000 users (uniform), 256 periods, ...".
std::string describe(const SimulationFlags& flags, std::uint64_t num_users);

// Draws the estimates of the first trial, as a chart for terminals.
std::string draw_chart(const SimulationResult& result, double level);

}  // namespace futurerand::apps
