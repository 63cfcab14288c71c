// SimulationQuestion: whom to simulate, how often and how; and what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/simulator/populations/values_file.hpp"
#include "futurerand/simulator/simulation.hpp"
#include "futurerand/study/metric_parameters.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

struct SimulationQuestion : ProtocolParameters {
  std::optional<std::uint64_t> users = {};  // none: 100,000, or as many as the panel has
  std::string population = "uniform";
  // People from elsewhere instead of the built-in population, with where they come from.
  std::optional<std::vector<UserValues>> panel = {};
  std::string panel_name = {};  // not empty with a panel
  EstimatorKind estimator = EstimatorKind::kOnline;
  double level = 0.95;
  ProtocolConstants constants = {};
  std::uint64_t trials = 10;
  Engine engine = Engine::kUsers;
  std::optional<unsigned> threads = {};    // none: as many as there are cores
  std::optional<std::uint64_t> seed = {};  // none: the system's entropy
  ChurnPattern churn = {};                 // without its liars
  std::optional<Attack> attack = {};       // none: nobody lies
  std::optional<double> liars = {};        // the share of devices that lie; none: one in 100
  std::optional<Estimand> estimand = {};   // none: active, where the plan shows who is
  Period inactive_after = kDefaultInactiveAfter;
  bool uncapped = false;  // outlier devices are not clipped
  // For a metric without an end. A season has `periods` periods. These are the periods between two
  // season starts, and the periods of rest after a season. It runs for so many cycles of season and
  // rest.
  std::optional<Period> every = {};
  std::optional<Period> rest = {};  // none: as long as a season
  std::uint32_t cycles = 3;
  bool keep_trials = false;  // the document has the estimates of every trial

  // The churn with its liars. Fails if there are liars and no attack.
  Result<ChurnPattern> churn_pattern() const;
  // The seasons; none for a metric with an end. Fails as Calendar::create does.
  Result<std::optional<Calendar>> calendar() const;
  // How many periods are simulated.
  Period simulated_periods() const;
  Result<Population> make_population(const SimulationKey& key) const;
  ProtocolSettings protocol_settings(std::uint64_t num_users) const;
  SimulationSettings settings(const SimulationKey& key, const Progress& progress) const;
  // Says where the users come from: the name of the population or of the panel.
  const std::string& source() const { return panel_name.empty() ? population : panel_name; }
};

// Returns the seed's key, or one from the system's entropy, which may fail.
Result<SimulationKey> key_from(const std::optional<std::uint64_t>& seed);

// The protocol that was asked for, or the one that `plan` recommends for the same question.
Result<std::string> chosen_protocol(const SimulationQuestion& question);

// "users" and "sums".
std::string name_of(Engine engine);

// Whom estimates of this plan count if that was asked for, or nothing was. Fails if active is asked
// for and the plan does not show it.
Result<Estimand> chosen_estimand(const std::optional<Estimand>& asked, const Plan& plan);

}  // namespace futurerand
