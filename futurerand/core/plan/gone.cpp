#include "futurerand/core/plan/gone.hpp"

#include <bit>

namespace futurerand {

Status shows_who_is_active(const Plan& plan) {
  if (plan.protocol != Protocol::kInnovation) {
    return Error{"devices of '" + std::string(name_of(plan.protocol)) +
                 "' report too rarely to show which of them are active; expected protocol "
                 "innovation, or all devices that ever enrolled"};
  }
  return {};
}

Period leaving_step(Period num_periods) {
  const std::uint64_t exact = kMaxExactPeriods;
  const std::uint64_t periods = num_periods;
  if (periods <= exact) return 1;
  // Rows are longer, and take longer to subtract, by periods / exact: there are fewer by as much.
  return static_cast<Period>(std::bit_ceil((periods * periods - 1) / (exact * exact) + 1));
}

}  // namespace futurerand
