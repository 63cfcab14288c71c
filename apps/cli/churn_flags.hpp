// When simulated devices join, leave and pause, and whom the estimates count:
// --joining --dropout --dropout-factor --offline --attack --liars --estimand --inactive-after
// --uncapped
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::apps {

// --estimand --inactive-after --uncapped
struct EstimandFlags {
  std::string estimand;  // empty: active, where the plan shows who is
  Period inactive_after = kDefaultInactiveAfter;
  bool uncapped = false;

  void add_to(CLI::App& command);
  std::optional<Estimand> asked() const;
};

struct ChurnFlags {
  ChurnPattern pattern;
  std::string joining = "start";
  std::string attack;  // empty: nobody lies
  EstimandFlags estimand;

  void add_to(CLI::App& command);
  // What of it was asked for, with the usual share of liars where some are to lie.
  ChurnPattern asked() const;
};

}  // namespace futurerand::apps
