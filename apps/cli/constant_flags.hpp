// Flags for the constants that the authors of protocols leave open.
#pragma once

#include <CLI/CLI.hpp>

#include "futurerand/simulator/protocol_constants.hpp"

namespace futurerand::apps {

// Adds one flag for each constant of each protocol in the registry. `constants` must outlive the
// command.
void add_constant_flags(CLI::App& command, ProtocolConstants& constants);

}  // namespace futurerand::apps
