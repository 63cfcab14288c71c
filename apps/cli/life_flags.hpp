// When simulated devices join, leave and pause, and whom the estimates count:
// --joining --dropout --dropout-factor --offline --attack --liars --estimand --gone-after
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "futurerand/core/plan/gone.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::apps {

// --estimand --gone-after
struct EstimandFlags {
  std::string estimand;  // empty: active, where the plan shows who is
  Period gone_after = kDefaultGoneAfter;

  void add_to(CLI::App& command);
  // Ends with bad_input if active is asked for and the plan does not show it.
  Estimand chosen(const Plan& plan) const;
};

struct LifeFlags {
  LifePattern pattern;
  std::string joining = "start";
  std::string attack;  // empty: nobody lies
  EstimandFlags estimand;

  void add_to(CLI::App& command);
  // Nothing if all devices take part throughout.
  std::optional<Lives> lives(Period num_periods, const SimulationKey& key) const;
  // "joining staggered, 1.6% leave after each period": what of it was asked for.
  std::string describe() const;
};

}  // namespace futurerand::apps
