// Shared by `simulate` and `compare`: one comparison from their flags, and one for every value of a
// sweep.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/cli/progress_bar.hpp"
#include "apps/cli/sweep.hpp"
#include "apps/report/comparison.hpp"

namespace futurerand::apps {

// Runs all protocols if none is named. `progress` is told how far it is.
Comparison compare_by(const SimulationFlags& flags, const std::vector<std::string>& protocols,
                      Unserved unserved, const Progress& progress);

// Runs one comparison for each value, with a progress bar, and prints them in the requested format.
using ProtocolsFor = std::function<std::vector<std::string>(const SimulationQuestion&)>;
void run_sweep(const SimulationFlags& flags, const Sweep& sweep, const ProtocolsFor& protocols_for,
               Format format, const std::string& html);

}  // namespace futurerand::apps
