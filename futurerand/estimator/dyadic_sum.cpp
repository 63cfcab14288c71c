#include "futurerand/estimator/dyadic_sum.hpp"

#include <cassert>
#include <cmath>

namespace futurerand {

Measurement dyadic_sum(const Sums& sums, double gap, Period t, const JoinedByView& joined) {
  const double scale = sums.num_views() / gap;
  double sum = 0, squares = 0;
  std::uint64_t devices = 0;
  for (const std::vector<std::uint64_t>& by_period : joined) devices += by_period[t - 1];
  if (devices == 0) return {0, 0};
  std::uint64_t reports = 0;
  bool lost = false;
  for_each_in_prefix(t, [&](DyadicInterval interval) {
    const IndexSum& at = sums.at(interval.order, interval.index);
    const std::uint64_t owed = joined[interval.order][(interval.index << interval.order) - 1];
    lost |= owed > 0 && at.count == 0;
    if (at.count == 0) return;
    // Exactly 1 where nothing is missing.
    const double stands_for = static_cast<double>(owed) / static_cast<double>(at.count);
    sum += stands_for * static_cast<double>(at.sum);
    squares += stands_for * stands_for * static_cast<double>(at.count);
    reports += at.count;
  });
  if (lost || reports == 0) return {};
  return {scale * sum, scale * scale * squares};
}

double paper_error_bound(const Plan& plan, double num_users, double beta) {
  assert(plan.views.size() == num_orders(plan.num_periods));
  const double scale = static_cast<double>(plan.views.size()) / to_double(gap(plan.views[0].law));
  return scale * std::sqrt(2 * num_users * std::log(2 * plan.num_periods / beta));
}

}  // namespace futurerand
