#include "futurerand/estimator/dyadic_sum.hpp"

#include <cassert>
#include <cmath>

namespace futurerand {

Measurement DyadicSumEstimator::next(const Sums& sums, double enrolled) {
  joined_.resize(sums.num_views());
  for (std::uint32_t view = 0; view < joined_.size(); ++view) {
    const std::uint64_t before = period() == 1 ? 0 : joined_[view].back();
    joined_[view].push_back(before + sums.enrolled_in(view, period()));
  }
  if (enrolled == 0) return {0, 0};
  const double scale = sums.num_views() / gap_;
  double sum = 0, squares = 0;
  std::uint64_t reports = 0;
  bool lost = false;
  for_each_in_prefix(period(), [&](DyadicInterval interval) {
    const IndexSum& at = sums.at(interval.order, interval.index);
    const std::uint64_t owed = joined_[interval.order][(interval.index << interval.order) - 1];
    lost |= owed > 0 && at.count == 0;
    if (at.count == 0) return;
    // Exactly 1 if nothing is missing.
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
