// SimulationQuestion: the users, the number of trials and the method of a simulation, with derived
// settings.
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
  // People of a file instead of the built-in population, with the name of their source.
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
  std::optional<double> liars = {};        // the share of dishonest devices; none: one in 100
  std::optional<Estimand> estimand = {};   // none: active, if the plan shows it
  Period inactive_after = kDefaultInactiveAfter;
  bool uncapped = false;  // outlier devices are not clipped
  // For a metric without an end. A season has `periods` periods. `every` is the number of periods
  // between two season starts, `rest` the number of periods of rest after a season. `cycles` counts
  // seasons with their rest.
  std::optional<Period> every = {};
  std::optional<Period> rest = {};  // none: as long as a season
  std::uint32_t cycles = 3;
  bool keep_trials = false;  // the document has the estimates of every trial

  // The churn with its adversaries. Fails for adversaries without an attack.
  Result<ChurnPattern> churn_pattern() const;
  // The seasons; none for a metric with an end. Fails as Calendar::create does.
  Result<std::optional<Calendar>> calendar() const;
  // How many periods are simulated.
  Period simulated_periods() const;
  Result<Population> make_population(const SimulationKey& key) const;
  ProtocolSettings protocol_settings(std::uint64_t num_users) const;
  SimulationSettings settings(const SimulationKey& key, const Progress& progress) const;
  // Returns the source of the users: the name of the population or of the panel.
  const std::string& source() const { return panel_name.empty() ? population : panel_name; }
};

// Returns the seed's key, or one from the system's entropy. The entropy may fail.
Result<SimulationKey> key_from(const std::optional<std::uint64_t>& seed);

// The requested protocol, or the recommendation of `plan` for the same question.
Result<std::string> chosen_protocol(const SimulationQuestion& question);

// "users" and "sums".
std::string name_of(Engine engine);

// The counted devices: the requested ones, else the default of the plan. Fails if active is
// requested and the plan does not show it.
Result<Estimand> chosen_estimand(const std::optional<Estimand>& asked, const Plan& plan);

}  // namespace futurerand
