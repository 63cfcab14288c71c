// Errors of the command line in our words. CLI11 has its own, such as "--users: 1 required N
// missing".
#pragma once

#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>

namespace futurerand::apps {

// The error in the form "--users: 'abc' is ...; expected ...". An unknown form stays as it is.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// Checks that a text is one of the names, and names them if not.
CLI::Validator one_of(std::initializer_list<std::string> names);

}  // namespace futurerand::apps
