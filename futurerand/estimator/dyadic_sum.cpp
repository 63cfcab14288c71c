#include "futurerand/estimator/dyadic_sum.hpp"

#include <cassert>
#include <cmath>

namespace futurerand {

Measurement dyadic_sum(const Sums& sums, double gap, Period t, double enrolled) {
  if (enrolled == 0) return {0, 0};
  IndexSum total;
  for_each_in_prefix(t, [&](DyadicInterval interval) {
    const IndexSum& at = sums.at(interval.order, interval.index);
    total.sum += at.sum;
    total.count += at.count;
  });
  if (total.count == 0) return {};
  const double scale = sums.num_views() / gap;
  return {scale * static_cast<double>(total.sum), scale * scale * static_cast<double>(total.count)};
}

double paper_error_bound(const Plan& plan, double num_users, double beta) {
  assert(plan.views.size() == num_orders(plan.num_periods));
  const double scale = static_cast<double>(plan.views.size()) / to_double(gap(plan.views[0].law));
  return scale * std::sqrt(2 * num_users * std::log(2 * plan.num_periods / beta));
}

}  // namespace futurerand
