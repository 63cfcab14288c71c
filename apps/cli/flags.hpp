// Flags shared by several commands: those of the table of options, --format, and --values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "futurerand/study/option_table.hpp"

namespace futurerand::apps {

inline constexpr const char* kSeededNote =
    "seeded: reproducible, and never to be used for real data";

enum class Format { kText, kJson, kCsv };

// Adds --format; it takes csv only for a command with a table.
void add_format(CLI::App& command, Format& format, bool with_csv = false);

// Adds a flag for each option (study/option_table.hpp). The options' targets must outlive the
// command.
void add_flags(CLI::App& command, const Options& options);

// Joins names as "a, b, c", for messages.
std::string join(const std::vector<std::string_view>& names);

// The question of `simulate` and `compare`, with a file of users in place of a population.
struct SimulationFlags {
  SimulationQuestion asked;
  std::string values;  // a file; empty: the built-in population

  // Adds --values. Requires --population.
  void add_values(CLI::App& command);

  // Reads the values file, if there is one.
  SimulationQuestion question() const;
};

}  // namespace futurerand::apps
