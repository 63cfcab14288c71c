#include "futurerand/estimator/influence.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/fleet.hpp"

namespace futurerand {
namespace {

// In periods that are estimated, each for up to four claims: about a microsecond each, and whoever
// may read can ask for it.
constexpr std::uint64_t kQuickWork = 1 << 18;

std::uint32_t num_starts(const Schedule& schedule) {
  return schedule.draws_start() ? schedule.stride : 1;
}

// Estimates of these reports and those of one more device, which sends one sign throughout.
std::vector<PeriodEstimate> estimates_with(const Plan& plan, const Sums& honest,
                                           const Schedule& schedule, const Claim& claim,
                                           Period up_to) {
  Sums sums = honest;
  sums.enrol(claim.view, claim.joined, claim.start);
  for (std::uint32_t index = schedule.first_index(claim.joined, claim.start);
       index <= schedule.num_indices; index += schedule.stride) {
    sums.add(claim.view, index, claim.minus ? -1 : 1, 1);
  }
  return estimate(plan, sums, EstimatorKind::kOnline, up_to);
}

void raise_to(double moved, const Claim& claim, double& most, Claim& by) {
  if (moved <= most) return;
  most = moved;
  by = claim;
}

void raise_to(const Influence& other, Influence& influence) {
  for (std::size_t t = 0; t < influence.most.size(); ++t) {
    raise_to(other.most[t], other.by[t], influence.most[t], influence.by[t]);
    raise_to(other.by_changes[t], other.in_changes[t], influence.by_changes[t],
             influence.in_changes[t]);
    influence.in_shares[t] = std::max(influence.in_shares[t], other.in_shares[t]);
  }
}

}  // namespace

Influence influence_on(const Plan& plan, const Sums& honest, Period up_to) {
  const auto before = estimate(plan, honest, EstimatorKind::kOnline, up_to);
  Influence influence{std::vector<double>(up_to), std::vector<Claim>(up_to),
                      std::vector<double>(up_to), std::vector<Claim>(up_to),
                      std::vector<double>(up_to)};
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    const Schedule schedule(view, plan.num_periods);
    const double share = static_cast<double>(view.weight) /
                         static_cast<double>(plan.total_weight()) / num_starts(schedule);
    const auto try_out = [&](const Claim& claim) {
      const auto after = estimates_with(plan, honest, schedule, claim, up_to);
      for (Period t = 0; t < up_to; ++t) {
        const double moved = after[t].estimate - before[t].estimate;
        if (!std::isfinite(moved)) continue;
        raise_to(std::abs(moved), claim, influence.most[t], influence.by[t]);
        if (view.kind == ViewKind::kChanges) {
          raise_to(std::abs(moved), claim, influence.by_changes[t], influence.in_changes[t]);
        }
        if (claim.joined == 1 && !claim.minus) influence.in_shares[t] += share * moved;
      }
    };
    for (std::uint32_t s = 1; s <= num_starts(schedule); ++s) {
      const std::uint32_t start = schedule.draws_start() ? s : 0;
      try_out({v, start, 1, false});
      try_out({v, start, 1, true});
      // Until it reports, whoever has enrolled is taken to be like the others: to enrol only when
      // its first report is due is worse where the lie goes the other way.
      const Period first = schedule.due(schedule.first_index(1, start));
      if (first == 1 || first > up_to) continue;
      try_out({v, start, first, false});
      try_out({v, start, first, true});
    }
  }
  return influence;
}

Influence influence_of_one(const Plan& plan) {
  Influence worst = influence_on(plan, steady_fleet(plan, 0), plan.num_periods);
  // News is added up whatever anybody holds.
  if (plan.protocol == Protocol::kInnovation) return worst;
  for (int eighths = 1; eighths <= 8; ++eighths) {
    raise_to(influence_on(plan, steady_fleet(plan, eighths / 8.0), plan.num_periods), worst);
  }
  return worst;
}

std::vector<double> influence_on_active(const Plan& plan, Period up_to, double newest_scale,
                                        const TranscriptLimits* limits) {
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const std::vector<double> response = filter.response(up_to);
  const double report = 1 / filter.kappa + filter.alpha / 2;
  std::vector<double> most;
  double told = 0;
  for (const double r : response) most.push_back(told += r * report);
  for (Period t = 1; t <= up_to && limits != nullptr; ++t) {
    most[t - 1] = std::min(most[t - 1], limits->most(t));
  }
  if (!most.empty()) most.back() += (newest_scale - 1) * report;
  return most;
}

bool is_quickly_known(const Plan& plan) {
  std::uint64_t work = 0;
  for (const View& view : plan.views) {
    work += std::uint64_t{num_starts(Schedule(view, plan.num_periods))} * plan.num_periods;
  }
  return work <= kQuickWork;
}

}  // namespace futurerand
