// What `simulate`, `compare` and their relatives share: whom to simulate, how often and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "apps/cli/constant_flags.hpp"
#include "apps/cli/flags.hpp"
#include "futurerand/study/simulation_question.hpp"

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

  // Reads the values file, if there is one.
  SimulationQuestion question() const;
  // Says where the users come from: the name of the population or the file.
  const std::string& source() const { return values.empty() ? population : values; }
};

}  // namespace futurerand::apps
