// How results of simulations are printed: one shape for `simulate` and `compare`.
#pragma once

#include <string>

#include "apps/cli/flags.hpp"
#include "futurerand/study/simulation_document.hpp"

namespace futurerand::apps {

// Writes "private over the whole sequence, offline; note".
std::string guarantee_text(const ProtocolTraits& traits);
// Writes "period 1", or "after all" if there is no answer before the last period.
std::string first_answer(const ProtocolTraits& traits);

// Tells whether there is an estimate for any period of any trial.
bool has_answer(const SimulationResult& result);
// Write a figure for a table. Without an answer: "no answer" for the error, "-" for the others.
std::string rmse_text(const SimulationResult& result);
std::string max_error_text(const SimulationResult& result);
std::string coverage_text(const SimulationResult& result);

// Writes "100,000 users (uniform), 256 periods, ...".
std::string describe(const SimulationQuestion& question, std::uint64_t num_users);

// Draws the estimates of the first trial, as a chart for terminals.
std::string draw_chart(const SimulationResult& result, double level);

}  // namespace futurerand::apps
