// --sweep NAME=A,B,C: one parameter of a simulation takes several values in one call.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/cli/flags.hpp"

namespace futurerand::apps {

struct Sweep {
  std::string parameter;            // epsilon, changes, periods or users; empty if not asked for
  std::vector<std::string> values;  // as they were typed

  void add_to(CLI::App& command);
  bool asked() const { return !parameter.empty(); }

  // Returns the flags with this value of the parameter. Ends in bad_input if it is out of range.
  SimulationFlags with(SimulationFlags flags, const std::string& value) const;
};

}  // namespace futurerand::apps
