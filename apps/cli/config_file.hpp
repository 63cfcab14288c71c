// A command's flags from a file: TOML, one `flag = value` a line, for every flag of the command.
// The command line and the environment take precedence.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace futurerand::apps {

// The arguments after the program's name, with those of the file that --config names put behind the
// command. Unchanged if there is no --config, or the command has none. Failure if the file cannot
// be read, is no TOML, or has a key that is no flag of the command.
std::vector<std::string> with_config_file(const CLI::App& app, std::vector<std::string> arguments);

}  // namespace futurerand::apps
