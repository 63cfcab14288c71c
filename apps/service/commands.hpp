// The subcommands that speak HTTP.
#pragma once

#include <CLI/CLI.hpp>

namespace futurerand::apps {

void add_demo(CLI::App& app);
void add_serve(CLI::App& app);
void add_swarm(CLI::App& app);

}  // namespace futurerand::apps
