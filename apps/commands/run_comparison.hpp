// Runs several protocols over one population, and the same for every value of a sweep.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/cli/sweep.hpp"
#include "apps/report/comparison.hpp"

namespace futurerand::apps {

// This says what to do with a protocol that cannot serve the settings: end with bad_input, or list
// it as unavailable.
enum class Unserved { kRefused, kListed };

// Runs all protocols if none is named. `progress` hears the share done.
Comparison run_comparison(const SimulationFlags& flags, const std::vector<std::string>& protocols,
                          Unserved unserved, const std::function<void(double)>& progress);

// Runs one comparison for each value, with a progress bar, and prints them in the format that was
// asked for. A page with a chart is written to `html` if that is not empty.
void run_sweep(const SimulationFlags& flags, const Sweep& sweep,
               const std::vector<std::string>& protocols, Format format, const std::string& html);

}  // namespace futurerand::apps
