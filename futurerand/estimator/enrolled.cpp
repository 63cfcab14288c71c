#include "futurerand/estimator/enrolled.hpp"

#include <algorithm>

#include "futurerand/estimator/active.hpp"

namespace futurerand {

std::vector<PeriodEstimate> estimate_enrolled(const Plan& plan, const Sums& sums,
                                              const Presence* presence, EstimatorKind kind,
                                              Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  if (presence == nullptr || !is_online(plan, kind)) return estimate(plan, sums, kind, up_to);
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  std::vector<PeriodEstimate> estimates;
  // A device with one missing report counts as inactive, since it did not report the period.
  for (const ActiveEstimate& there :
       estimate_active(plan, sums, *presence, {up_to + 1, 1}, EstimatorKind::kOnline, up_to)) {
    PeriodEstimate at = there.at;
    const double all = static_cast<double>(enrolled[at.period - 1]);
    const double stands_for = all / static_cast<double>(there.devices);
    at.estimate *= stands_for;
    at.stddev *= stands_for;
    if (all == 0) at.estimate = at.stddev = 0;  // nobody is enrolled yet
    estimates.push_back(at);
  }
  return estimates;
}

}  // namespace futurerand
