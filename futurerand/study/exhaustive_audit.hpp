// An exhaustive audit of a plan: the audited laws and their lengths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

// This is one law, exercised over one number of reports.
struct LengthAudit {
  std::string view;
  std::uint32_t length;
  ExhaustiveAudit result;
};

// Exercises the law of every view. A short horizon may leave hybrid without a view of changes. Then
// the law of its changes on longer horizons is exercised over these periods too. Fails if this
// would take too long, and once stopped.
Result<std::vector<LengthAudit>> run_exhaustive(const Plan& plan, const Progress& progress);

}  // namespace futurerand
