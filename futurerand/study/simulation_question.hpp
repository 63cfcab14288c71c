// SimulationQuestion: whom to simulate, how often and how; and what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/simulator/populations/values_file.hpp"
#include "futurerand/simulator/simulation.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

struct SimulationQuestion {
  std::optional<std::uint64_t> users = {};  // none: 100,000, or as many as the panel has
  Period periods = 256;
  std::uint32_t changes = 4;
  Epsilon epsilon;
  std::string population = "uniform";
  // People from elsewhere instead of the built-in population, with where they come from.
  std::optional<std::vector<UserValues>> panel = {};
  std::string panel_name = {};  // not empty with a panel
  EstimatorKind estimator = EstimatorKind::kOnline;
  double level = 0.95;
  ProtocolConstants constants = {};
  std::uint64_t trials = 10;
  Engine engine = Engine::kUsers;
  unsigned threads = 0;                    // 0: as many as there are cores
  std::optional<std::uint64_t> seed = {};  // none: the system's entropy
  ChurnPattern churn = {};
  std::optional<Estimand> estimand = {};  // none: active, where the plan shows who is
  Period inactive_after = kDefaultInactiveAfter;
  bool transcript_cap = true;  // no transcript counts beyond its limit, where there is one
  bool keep_trials = false;    // the document has the estimates of every trial

  Status check() const;
  Result<Population> make_population(const SimulationKey& key) const;
  ProtocolSettings protocol_settings(std::uint64_t num_users) const;
  SimulationSettings settings(const SimulationKey& key, const Progress& progress) const;
  // Says where the users come from: the name of the population or of the panel.
  const std::string& source() const { return panel_name.empty() ? population : panel_name; }
};

// Returns the seed's key, or one from the system's entropy, which may fail.
Result<SimulationKey> key_from(const std::optional<std::uint64_t>& seed);

// "users" and "sums".
std::string name_of(Engine engine);

// Whom estimates of this plan count if that was asked for, or nothing was. Fails if active is asked
// for and the plan does not show it.
Result<Estimand> chosen_estimand(const std::optional<Estimand>& asked, const Plan& plan);

}  // namespace futurerand
