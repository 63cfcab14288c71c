// Reads a values file (simulator/populations/values_file.hpp), with a progress bar.
#pragma once

#include <string>
#include <vector>

#include "futurerand/simulator/populations/values_file.hpp"

namespace futurerand::apps {

// Throws bad_input if the file cannot be read or says something wrong, and the Failure of
// stop_if_interrupted() after a signal.
std::vector<UserValues> read_values(const std::string& path, Period num_periods,
                                    const Coding& coding = {});

}  // namespace futurerand::apps
