#include "futurerand/core/plan/inactive.hpp"

#include <bit>

namespace futurerand {

Status shows_who_is_active(const Plan& plan) {
  if (plan.heartbeats) return can_have_heartbeats(plan.protocol, plan.num_periods);
  if (plan.protocol != Protocol::kInnovation) {
    return Error{"devices of '" + std::string(name_of(plan.protocol)) +
                 "' report too rarely to show who is still there; expected heartbeats, protocol "
                 "innovation, or all devices that ever enrolled"};
  }
  return {};
}

Status can_have_heartbeats(Protocol protocol, Period num_periods) {
  if (protocol == Protocol::kInnovation) {
    return Error{
        "devices of 'innovation' report in every period, which shows that they are there; expected "
        "no heartbeats"};
  }
  if (num_periods > kMaxHeartbeatPeriods) {
    return Error{"a horizon of " + std::to_string(num_periods) +
                 " periods is too long to keep what each device told; expected at most " +
                 std::to_string(kMaxHeartbeatPeriods) + ", or all devices that ever enrolled"};
  }
  return {};
}

Period leaving_step(Period num_periods, bool heartbeats) {
  const std::uint64_t exact = heartbeats ? kMaxExactHeartbeatPeriods : kMaxExactPeriods;
  const std::uint64_t periods = num_periods;
  if (periods <= exact) return 1;
  // Rows are longer, and take longer to subtract, by periods / exact: there are fewer by as much.
  return static_cast<Period>(std::bit_ceil((periods * periods - 1) / (exact * exact) + 1));
}

}  // namespace futurerand
