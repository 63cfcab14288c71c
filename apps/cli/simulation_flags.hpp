// What `simulate`, `compare` and their relatives share: whom to simulate, how often and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "apps/cli/constant_flags.hpp"
#include "apps/cli/flags.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::apps {

inline constexpr const char* kSeededNote =
    "seeded: reproducible, and never to be used for real data";

// This is the help of --population: what each of them does.
std::string described_populations();

struct SimulationFlags {
  PlanFlags plan;
  EstimatorFlags estimator;
  ProtocolConstants constants;
  std::optional<std::uint64_t> users;
  std::string population = "uniform";
  std::string values;  // a file; empty: the built-in population
  std::uint64_t trials = 10;
  std::string engine = "users";
  unsigned threads = 0;  // 0: as many as there are cores
  std::optional<std::uint64_t> seed;

  void add_to(CLI::App& command);

  // Returns the seed's key, or one from the system's entropy.
  SimulationKey key() const;
  // Reads the values file, if there is one.
  Population make_population(const SimulationKey& key) const;
  ProtocolSettings protocol_settings(std::uint64_t num_users) const;
  SimulationSettings settings(const SimulationKey& key) const;
  // Says where the users come from: the name of the population or the file.
  const std::string& source() const { return values.empty() ? population : values; }
};

// These are true_counts() and simulate(), which end with the right exit status after an interrupt
// or a failure.
// Where devices come and go, the counts are of those whom the estimand counts.
std::vector<std::uint64_t> count_or_stop(const Population& population,
                                         const SimulationSettings& settings,
                                         Estimand estimand = Estimand::kEnrolled,
                                         Period gone_after = kDefaultGoneAfter);
SimulationResult simulate_or_fail(const SimulatedProtocol& protocol, const Population& population,
                                  const std::vector<std::uint64_t>& truth,
                                  const SimulationSettings& settings);

}  // namespace futurerand::apps
