// The text output of `audit`, shared by plans and rivals.
#pragma once

#include <vector>

#include "futurerand/study/audit.hpp"

namespace futurerand::apps {

// The central guarantee of published estimates, if reports are shuffled.
void print_central(const AuditQuestion& question, const Result<double>& central);
void print_exhaustive(const std::vector<LengthAudit>& runs);
void print_empirical(const AuditQuestion& question, const EmpiricalAudit& audit);

}  // namespace futurerand::apps
