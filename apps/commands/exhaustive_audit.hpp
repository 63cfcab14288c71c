// `audit --exhaustive`: which laws it runs over which lengths, and what it prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand::apps {

// This is one law, exercised over one number of reports.
struct LengthAudit {
  std::string view;
  std::uint32_t length;
  ExhaustiveAudit result;
};

// Exercises the law of every view, with a progress bar. A short horizon may leave hybrid without a
// view of changes: then the law that it has for them on longer ones is exercised over these periods
// too.
std::vector<LengthAudit> run_exhaustive(const Plan& plan);

nlohmann::ordered_json to_json(const LengthAudit& run);
void print_text(const std::vector<LengthAudit>& runs);

}  // namespace futurerand::apps
