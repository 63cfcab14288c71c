// Flags for the constants that the authors of rivals leave open.
#pragma once

#include <CLI/CLI.hpp>

#include "futurerand/simulator/rival_constants.hpp"

namespace futurerand::apps {

// --thresh-* --sparse-clip --rappor-p --rappor-q. The constants must outlive the command.
void add_rival_flags(CLI::App& command, RivalConstants& constants);

}  // namespace futurerand::apps
