#include "futurerand/core/plan/plan_certificate.hpp"

#include <algorithm>

namespace futurerand {

bool PlanCertificate::certified() const {
  return std::all_of(views.begin(), views.end(),
                     [](const Certificate& view) { return view.certified; });
}

double PlanCertificate::exact_epsilon() const {
  double largest = 0;
  for (const Certificate& view : views) largest = std::max(largest, view.exact_epsilon);
  return largest;
}

Result<PlanCertificate> certify(const Plan& plan) {
  PlanCertificate all;
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    // Orders of the paper's framework share one law, so the same integers are judged once.
    if (v > 0 && plan.views[v].law == plan.views[v - 1].law) {
      all.views.push_back(all.views.back());
      continue;
    }
    const Result<Certificate> view = certify(plan.views[v].law, plan.epsilon);
    if (!view) return Error{"view " + std::to_string(v) + ": " + view.error().message};
    all.views.push_back(*view);
  }
  return all;
}

}  // namespace futurerand
