#include "futurerand/estimator/expected_sums.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "futurerand/core/plan/innovation_filter.hpp"

namespace futurerand {
namespace {

double starts_in(const Schedule& schedule) {
  return schedule.draws_start() ? static_cast<double>(schedule.stride) : 1;
}

// Element t-1: the innovation of a device holding 1 from the first period on, less that of a device
// holding 0, in units of kappa.
std::vector<double> innovation_of_one(const InnovationFilter& filter, Period periods) {
  std::vector<double> innovation;
  double known = 0;
  for (Period t = 0; t < periods; ++t) {
    if (t > 0 && t <= filter.phi.size()) known += filter.phi[t - 1];
    innovation.push_back(1 - known);
  }
  return innovation;
}

}  // namespace

double mean_pulse(const PulseLaw& law, double entering) {
  const PulseMoments moments(law);
  return 2 * (moments.outside + entering * moments.gap()) - 1;
}

Sums expected_sums_with(const Plan& plan, const MeanReport& mean, double fewest) {
  const double total = static_cast<double>(plan.total_weight());
  double devices = 0;
  for (const View& view : plan.views) {
    const double starts = starts_in(Schedule(view, plan.num_periods));
    devices = std::max(devices, fewest * starts * total / static_cast<double>(view.weight));
  }
  Sums sums(plan);
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    const Schedule schedule(view, plan.num_periods);
    const double starts = starts_in(schedule);
    const double each = std::round(devices * static_cast<double>(view.weight) / total / starts);
    for (std::uint32_t s = 1; s <= static_cast<std::uint32_t>(starts); ++s) {
      sums.enrol(v, 1, schedule.draws_start() ? s : 0, static_cast<std::uint64_t>(each));
    }
    const double gap_of_view = to_double(gap(view.law));
    const double least = mean_square(view.law, 0);
    const std::uint32_t step = schedule.draws_start() ? 1 : schedule.stride;
    for (std::uint32_t index = 1; index <= schedule.num_indices; index += step) {
      const double report = mean(v, index);
      const double changed = std::min(1.0, std::abs(report) / gap_of_view);
      const double square = schedule.may_be_zero && schedule.kind != ViewKind::kInnovation
                                ? mean_square(view.law, changed)
                                : least;
      sums.add(v, index,
               {std::llround(each * report), static_cast<std::uint64_t>(each),
                static_cast<std::uint64_t>(std::llround(each * square))});
    }
  }
  return sums;
}

Sums steady_expected_sums(const Plan& plan, double holding) {
  if (plan.views.front().kind == ViewKind::kInnovation) {
    const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
    const std::vector<double> innovation = innovation_of_one(filter, plan.num_periods);
    return expected_sums_with(plan, [&](std::uint32_t, std::uint32_t t) {
      if (filter.starts_unknown) return filter.kappa * (holding - 0.5) * innovation[t - 1];
      return filter.kappa * (holding * innovation[t - 1] - filter.alpha / 2);
    });
  }
  return expected_sums_with(plan, [&](std::uint32_t v, std::uint32_t index) {
    const View& view = plan.views[v];
    // Devices holding 1 entered in the first period.
    if (const auto* law = std::get_if<PulseLaw>(&view.law)) {
      return mean_pulse(*law, index <= law->window ? holding : 0);
    }
    const double c = to_double(gap(view.law));
    if (view.kind != ViewKind::kChanges) return c * (2 * holding - 1);
    return index == 1 ? c * holding : 0;  // devices holding 1 changed in the first period
  });
}

}  // namespace futurerand
