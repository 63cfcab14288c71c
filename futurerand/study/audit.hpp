// Audits: the exact certificate of a plan or the loss of a rival, with the requested tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "futurerand/audit/empirical.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/study/exhaustive_audit.hpp"
#include "futurerand/study/metric_parameters.hpp"
#include "futurerand/study/progress.hpp"
#include "futurerand/study/season_budget.hpp"

namespace futurerand {

// With a given plan, metric and protocol are not used.
struct AuditQuestion : ProtocolParameters {
  std::uint64_t users = 100'000;  // number of users with shuffled reports, if any
  double delta = 1e-6;
  bool exhaustive = false;  // also run every input, noise vector and coin
  // Also test the client as a black box, on many pairs of sequences.
  bool empirical = false;
  std::uint64_t samples = 200'000;
  double confidence = 0.9999;
  std::optional<std::uint64_t> seed = {};
  ProtocolConstants constants = {};
  // For a metric without an end: the periods between two season starts, and the periods of rest
  // after a season. The budget is that of any window (none: of the rest), and of a device's
  // lifetime.
  std::optional<Period> every = {};
  std::optional<Period> rest = {};  // none: as long as a season
  std::optional<Period> window = {};
  Period life = static_cast<Period>(kDefaultLife);

  // The cost of a plan's seasons; none for a metric with an end. Fails as Calendar::create does.
  Result<std::optional<SeasonBudget>> season_budget(const Plan& plan) const;
};

struct PlanAudit {
  Plan plan;
  PlanCertificate certificate;
  Result<double> central;  // epsilon of the estimates after shuffling, or the reason for none
  std::vector<LengthAudit> exhaustive = {};
  std::optional<EmpiricalAudit> empirical = {};
  std::optional<SeasonBudget> seasons = {};  // of a metric without an end

  bool passed() const;
};

// Rivals have no integers to certify, so what they lose is computed in floating point.
struct RivalAudit {
  std::string name;
  ProtocolSettings settings;
  Guarantee guarantee;
  bool online;
  SequenceLoss loss;
  bool keeps_epsilon;  // computed in floating point, which certifies nothing
  Result<double> central;
  std::optional<EmpiricalAudit> empirical = {};

  bool passed() const;
};

// These fail on questions without an answer, and once stopped.
Result<PlanAudit> audit_plan(const Plan& plan, const AuditQuestion& question,
                             const Progress& progress);
// A protocol without a plan for devices.
Result<RivalAudit> audit_rival(const std::string& name, const AuditQuestion& question,
                               const Progress& progress);

// The documents of `audit --format json`; `version` is that of the program.
nlohmann::ordered_json to_json(const AuditQuestion& question, const PlanAudit& audit,
                               std::string_view version);
nlohmann::ordered_json to_json(const AuditQuestion& question, const RivalAudit& audit,
                               std::string_view version);

inline constexpr const char* kNoShuffler = "assumes a shuffler; none ships with futurerand";

}  // namespace futurerand
