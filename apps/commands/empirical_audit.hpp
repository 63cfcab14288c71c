// `audit --empirical`: its flags, its run and what it prints.
#pragma once

#include <cstdint>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "futurerand/audit/empirical.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::apps {

struct EmpiricalFlags {
  bool asked = false;
  std::uint64_t samples = 200'000;
  double confidence = 0.9999;
  std::optional<std::uint64_t> seed;

  void add_to(CLI::App& command);
};

// Runs the client of this protocol, with a progress bar.
EmpiricalAudit run_empirical(const EmpiricalFlags& flags, const std::string& protocol,
                             const ProtocolSettings& settings, const ClientRun& client);

nlohmann::ordered_json to_json(const EmpiricalFlags& flags, const EmpiricalAudit& audit);
void print_text(const EmpiricalFlags& flags, const EmpiricalAudit& audit);

}  // namespace futurerand::apps
