// What `simulate` and `compare` share: one comparison from their flags, and one for every value of
// a sweep.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/progress_bar.hpp"
#include "apps/cli/sweep.hpp"
#include "apps/report/comparison.hpp"

namespace futurerand::apps {

// Runs all protocols if none is named. `progress` is told how far it is.
Comparison compare_by(const SimulationFlags& flags, const std::vector<std::string>& protocols,
                      Unserved unserved, const Progress& progress);

// Runs one comparison for each value, with a progress bar, and prints them in the format that was
// asked for. A page with a chart is written to `html` if that is not empty.
void run_sweep(const SimulationFlags& flags, const Sweep& sweep,
               const std::vector<std::string>& protocols, Format format, const std::string& html);

}  // namespace futurerand::apps
