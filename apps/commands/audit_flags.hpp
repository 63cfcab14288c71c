// The flags of `audit`, and what its two kinds of protocols print alike.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "apps/cli/flags.hpp"
#include "apps/commands/empirical_audit.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::apps {

struct AuditFlags {
  PlanFlags plan;
  std::string plan_file;   // a plan to audit instead of the one that `plan` describes
  std::string metric;      // or the address of a metric that has one
  std::string ca_file;     // whose certificates are believed there
  std::string token_file;  // what is shown there
  Format format = Format::kText;
  bool exhaustive = false;
  std::uint64_t users = 100'000;
  double delta = 1e-6;
  EmpiricalFlags empirical;
  ProtocolConstants constants;

  ProtocolSettings settings() const {
    return {users, plan.periods, plan.changes, plan.budget(), EstimatorKind::kOnline, constants};
  }
  ProtocolSettings settings(const Plan& audited) const {
    return {users,           audited.num_periods,    audited.max_changes,
            audited.epsilon, EstimatorKind::kOnline, constants};
  }
};

// These tell what shuffling among --users makes of it, for the estimates that the server publishes.
void add_central(const AuditFlags& flags, const Result<double>& central,
                 nlohmann::ordered_json& json);
void print_central(const AuditFlags& flags, const Result<double>& central);

// Audits a protocol that no device runs from a plan. Ends with status 3 if it is not private over
// the whole sequence.
void audit_rival(const AuditFlags& flags);

}  // namespace futurerand::apps
