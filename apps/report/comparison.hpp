// Comparison: what `compare` found, for its text, its JSON and its page.
#pragma once

#include <string>
#include <vector>

#include "apps/report/simulation_report.hpp"

namespace futurerand::apps {

struct Unavailable {
  std::string protocol;
  std::string reason;
};

// Predicted rmse of one protocol for other numbers of changes.
struct ErrorAgainstChanges {
  std::string protocol;
  std::vector<double> changes;
  std::vector<double> rmse;
};

struct Comparison {
  SimulationFlags flags;
  std::uint64_t num_users;
  std::vector<TimedResult> results;  // see compare.cpp: by guarantee, then by error
  std::vector<Unavailable> unavailable;
  std::vector<ErrorAgainstChanges> against_changes;  // only for the page
};

// One self-contained page: no network, no script.
std::string comparison_page(const Comparison& comparison);

}  // namespace futurerand::apps
