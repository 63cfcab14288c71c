#include "futurerand/core/plan/gone.hpp"

namespace futurerand {

Status shows_who_is_active(const Plan& plan) {
  if (plan.protocol != Protocol::kInnovation) {
    return Error{"devices of '" + std::string(name_of(plan.protocol)) +
                 "' report too rarely to show who is still there; expected protocol innovation, or "
                 "all devices that ever enrolled"};
  }
  if (plan.num_periods > kMaxActivePeriods) {
    return Error{"a horizon of " + std::to_string(plan.num_periods) +
                 " periods is too long for sums by period of leaving; expected at most " +
                 std::to_string(kMaxActivePeriods) + ", or all devices that ever enrolled"};
  }
  return {};
}

}  // namespace futurerand
