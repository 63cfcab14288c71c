#include "futurerand/estimator/influence.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/estimator/estimate.hpp"

namespace futurerand {
namespace {

// One device is then a small part of each index, so that its influence is a weight.
constexpr std::uint64_t kFewestPerIndex = 1000;
constexpr std::uint64_t kQuickWork = 1 << 20;

std::uint32_t starts_of(const Schedule& schedule) {
  return schedule.draws_start() ? schedule.stride : 1;
}

// Reports of devices that say nothing, as many of each view as its weight asks for.
Sums coins_of(const Plan& plan, std::uint64_t users) {
  Sums sums(plan);
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const Schedule schedule(plan.views[v], plan.num_periods);
    const double share =
        static_cast<double>(plan.views[v].weight) / static_cast<double>(plan.total_weight());
    const std::uint32_t starts = starts_of(schedule);
    const std::uint64_t each = std::max(
        kFewestPerIndex, static_cast<std::uint64_t>(static_cast<double>(users) * share / starts));
    const auto spoken = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(each) * mean_square(plan.views[v].law, 0)));
    for (std::uint32_t s = 1; s <= starts; ++s) {
      sums.enrol(v, 1, schedule.draws_start() ? s : 0, each);
    }
    for (std::uint32_t index = 1; index <= schedule.num_indices; ++index) {
      sums.add(v, index, {0, each, spoken});
    }
  }
  return sums;
}

}  // namespace

Influence influence_of_one(const Plan& plan, std::uint64_t users) {
  const Period periods = plan.num_periods;
  const Sums honest = coins_of(plan, users);
  const auto before = estimate(plan, honest, EstimatorKind::kOnline, periods);
  Influence influence{std::vector<double>(periods)};
  double largest = -1;
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const Schedule schedule(plan.views[v], periods);
    for (std::uint32_t s = 1; s <= starts_of(schedule); ++s) {
      Sums sums = honest;
      const std::uint32_t start = schedule.draws_start() ? s : 0;
      sums.enrol(v, 1, start);
      for (std::uint32_t index = schedule.first_index(1, start); index <= schedule.num_indices;
           index += schedule.stride) {
        sums.add(v, index, 1, 1);
      }
      const auto after = estimate(plan, sums, EstimatorKind::kOnline, periods);
      double last = 0;
      for (Period t = 0; t < periods; ++t) {
        if (!std::isfinite(after[t].estimate) || !std::isfinite(before[t].estimate)) continue;
        last = after[t].estimate - before[t].estimate;
        influence.most[t] = std::max(influence.most[t], last);
      }
      if (last <= largest) continue;
      largest = last;
      influence.view = v;
      influence.start = start;
    }
  }
  return influence;
}

bool is_quickly_known(const Plan& plan) {
  std::uint64_t work = 0;
  for (const View& view : plan.views) {
    work += std::uint64_t{starts_of(Schedule(view, plan.num_periods))} * plan.num_periods;
  }
  return work <= kQuickWork;
}

}  // namespace futurerand
