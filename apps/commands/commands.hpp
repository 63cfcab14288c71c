// The subcommands. Each file wires flags to the library and prints; there is no logic here.
#pragma once

#include <CLI/CLI.hpp>

namespace futurerand::apps {

void add_audit(CLI::App& app);
void add_backup(CLI::App& app);  // and restore
void add_compare(CLI::App& app);
void add_completion(CLI::App& app);
void add_estimate(CLI::App& app);
void add_device(CLI::App& app);
void add_ledger(CLI::App& app);
void add_manual(CLI::App& app);
void add_plan(CLI::App& app);
void add_randomize(CLI::App& app);
void add_simulate(CLI::App& app);

// These use HTTP and exist only in a build with HTTP (FUTURERAND_WITH_HTTP).
void add_cluster(CLI::App& app);
void add_demo(CLI::App& app);
void add_metric(CLI::App& app);
void add_serve(CLI::App& app);
void add_swarm(CLI::App& app);

}  // namespace futurerand::apps
