// What `audit` prints for people, of the parts that its two kinds of protocols have alike.
#pragma once

#include <vector>

#include "futurerand/study/audit.hpp"

namespace futurerand::apps {

// What shuffling among the users makes of it, for the estimates that the server publishes.
void print_central(const AuditQuestion& question, const Result<double>& central);
void print_exhaustive(const std::vector<LengthAudit>& runs);
void print_empirical(const AuditQuestion& question, const EmpiricalAudit& audit);

}  // namespace futurerand::apps
