// The privacy certificate of a whole plan. A view is drawn independently of the data, so a plan is
// epsilon-private if every view is: its loss is the largest of theirs. [OWW22] Theorem 4.5.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {

struct PlanCertificate {
  std::vector<Certificate> views;  // in the plan's order

  bool certified() const;
  double exact_epsilon() const;
};

Result<PlanCertificate> certify(const Plan& plan);

}  // namespace futurerand
