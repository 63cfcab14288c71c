#include "futurerand/core/plan/gone.hpp"

namespace futurerand {
namespace {

Error too_long(Period num_periods, Period most) {
  return Error{"a horizon of " + std::to_string(num_periods) +
               " periods is too long for sums by period of leaving; expected at most " +
               std::to_string(most) + ", or all devices that ever enrolled"};
}

}  // namespace

Status shows_who_is_active(const Plan& plan) {
  if (plan.heartbeats) return can_have_heartbeats(plan.protocol, plan.num_periods);
  if (plan.protocol != Protocol::kInnovation) {
    return Error{"devices of '" + std::string(name_of(plan.protocol)) +
                 "' report too rarely to show who is still there; expected heartbeats, protocol "
                 "innovation, or all devices that ever enrolled"};
  }
  if (plan.num_periods > kMaxActivePeriods) return too_long(plan.num_periods, kMaxActivePeriods);
  return {};
}

Status can_have_heartbeats(Protocol protocol, Period num_periods) {
  if (protocol == Protocol::kInnovation) {
    return Error{
        "devices of 'innovation' report in every period, which shows that they are there; expected "
        "no heartbeats"};
  }
  if (num_periods > kMaxHeartbeatPeriods) return too_long(num_periods, kMaxHeartbeatPeriods);
  return {};
}

}  // namespace futurerand
