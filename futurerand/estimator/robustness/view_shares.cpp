#include "futurerand/estimator/robustness/view_shares.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace futurerand {
namespace {

// Shares "near the plan's" are spread about as those of so many devices are.
constexpr double kSpread = 1000;

double share_of(const Plan& plan, std::uint32_t v) {
  return static_cast<double>(plan.views[v].weight) / static_cast<double>(plan.total_weight());
}

std::uint32_t starts_to_choose(const Schedule& schedule) {
  return schedule.draws_start() && schedule.stride > 1 ? schedule.stride : 0;
}

// How many counts are looked at; each has an equal part of the rate.
double num_counts(const Plan& plan) {
  double counts = plan.views.size() > 1 ? static_cast<double>(plan.views.size()) : 0;
  for (const View& view : plan.views) {
    counts += starts_to_choose(Schedule(view, plan.num_periods));
  }
  return counts;
}

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

// The logarithm of the martingale: `chosen` of `all` devices claim what this share should.
double evidence(double chosen, double all, double share) {
  const double a = kSpread * share, b = kSpread * (1 - share);
  return log_beta(chosen + a, all - chosen + b) - log_beta(a, b) - chosen * std::log(share) -
         (all - chosen) * std::log1p(-share);
}

}  // namespace

Period shares_broken_by(const Plan& plan, const Sums& sums, Period up_to, double rate) {
  const double counts = num_counts(plan);
  if (counts == 0) return 0;
  const double limit = std::log(counts / rate);
  std::vector<double> joined(plan.views.size());
  double all = 0;
  for (Period t = 1; t <= up_to; ++t) {
    for (std::uint32_t v = 0; v < joined.size(); ++v) {
      const auto newcomers = static_cast<double>(sums.enrolled_in(v, t));
      joined[v] += newcomers;
      all += newcomers;
    }
    for (std::uint32_t v = 0; v < joined.size(); ++v) {
      if (joined.size() > 1 && evidence(joined[v], all, share_of(plan, v)) > limit) return t;
      const Schedule schedule(plan.views[v], plan.num_periods);
      const std::uint32_t index = schedule.last_due(t);
      if (starts_to_choose(schedule) == 0 || index == 0 || schedule.due(index) != t) continue;
      const auto chosen = static_cast<double>(sums.snapshot_devices(v, index));
      if (evidence(chosen, joined[v], 1.0 / schedule.stride) > limit) return t;
    }
  }
  return 0;
}

std::uint64_t unnoticed_claims(const Plan& plan, const Claim& claim, std::uint64_t honest,
                               double rate) {
  const double counts = num_counts(plan);
  if (counts == 0) return std::numeric_limits<std::uint64_t>::max();
  const double limit = std::log(counts / rate);
  const double all = static_cast<double>(honest);
  const double share = share_of(plan, claim.view);
  const std::uint32_t starts = starts_to_choose(Schedule(plan.views[claim.view], plan.num_periods));
  const auto noticed = [&](double liars) {
    const double in_view = all * share;
    if (plan.views.size() > 1 && evidence(in_view + liars, all + liars, share) > limit) return true;
    return starts > 0 && evidence(in_view / starts + liars, in_view + liars, 1.0 / starts) > limit;
  };
  // The evidence grows with every further liar, once they are more than chance allows.
  std::uint64_t low = 0, high = 1;
  while (high < honest && !noticed(static_cast<double>(high))) high *= 2;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (noticed(static_cast<double>(middle)) ? high : low) = middle;
  }
  return low;
}

}  // namespace futurerand
