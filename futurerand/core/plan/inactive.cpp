#include "futurerand/core/plan/inactive.hpp"

namespace futurerand {

Status shows_who_is_active(const Plan& plan) {
  if (plan.protocol == Protocol::kPulse) {
    return Error{
        "devices of 'pulse' are counted by class, not one by one; expected protocol innovation, or "
        "all devices that ever enrolled"};
  }
  if (plan.protocol != Protocol::kInnovation) {
    return Error{"devices of '" + std::string(name_of(plan.protocol)) +
                 "' report too rarely to show which of them are active; expected protocol "
                 "innovation, or all devices that ever enrolled"};
  }
  return {};
}

}  // namespace futurerand
