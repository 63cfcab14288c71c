#include "futurerand/simulator/populations/churn.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "futurerand/estimator/active.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"

namespace futurerand {
namespace {

constexpr double kMeanPause = 4;

Period joined_in(Joining joining, double u, Period num_periods) {
  const double periods = num_periods;
  switch (joining) {
    case Joining::kStart:
      return 1;
    case Joining::kStaggered:
      return 1 + static_cast<Period>(u * periods);
    case Joining::kGrowth:
      // N 10^(t/d - 1) devices have joined by t, so u N have joined by t = d (1 + log10 u).
      return static_cast<Period>(std::max(1.0, std::ceil(periods * (1 + std::log10(u + 0x1p-60)))));
  }
  std::abort();
}

}  // namespace

std::string_view name_of(Joining joining) {
  switch (joining) {
    case Joining::kStart:
      return "start";
    case Joining::kStaggered:
      return "staggered";
    case Joining::kGrowth:
      return "growth";
  }
  std::abort();
}

std::string_view name_of(Attack attack) {
  switch (attack) {
    case Attack::kPlus:
      return "plus";
    case Attack::kMinus:
      return "minus";
    case Attack::kView:
      return "view";
    case Attack::kChanges:
      return "changes";
    case Attack::kFlips:
      return "flips";
    case Attack::kMass:
      return "mass";
    case Attack::kHidden:
      return "hidden";
  }
  std::abort();
}

Participation Churn::of(std::uint64_t user, const Values& values) const {
  PhiloxSource source(key_, Stream::kLife, 0, user);
  Participation participation{joined_in(pattern_.joining, source.uniform(), num_periods_),
                              num_periods_};
  const bool pauses = source.uniform() < pattern_.offline;
  const double u = source.uniform();
  if (pauses) {
    const double silent = 1 + std::floor(std::log1p(-u) / std::log1p(-1 / kMeanPause));
    participation.last = silent >= num_periods_ ? 0 : num_periods_ - static_cast<Period>(silent);
  }
  if (pattern_.dropout > 0) {
    for (Period t = participation.joined; t < participation.last; ++t) {
      const double factor = 2 * value_at(values, t) > full_scale_ ? pattern_.dropout_factor : 1;
      if (source.uniform() < pattern_.dropout * factor) participation.last = t;
    }
  }
  participation.last = std::max(participation.last, participation.joined - 1);
  return participation;
}

std::vector<double> active_counts(const Population& population, const Churn& churn,
                                  Estimand estimand, Period inactive_after,
                                  const Workers& workers) {
  const Period periods = population.num_periods();
  const InactiveRule rule{periods + 1, inactive_after};
  const bool is_active = estimand == Estimand::kActive;
  const HeldCounts zero(population.coding(), periods);
  return fold_users<Values>(population, workers, zero,
                            [&](HeldCounts& sum, std::uint64_t user, const Values& values) {
                              if (churn.is_liar(user, population.num_users())) return;  // holds 0
                              const Participation participation = churn.of(user, values);
                              // From when on it holds its last value, and from when on it is not
                              // counted.
                              const Period held = is_active ? participation.last : periods;
                              const bool is_inactive = rule.is_inactive(participation.last + 1);
                              const Period end =
                                  is_inactive || held < participation.joined ? held : periods;
                              if (end < participation.joined) return;
                              std::uint32_t before = value_at(values, participation.joined);
                              sum.start(participation.joined, before);
                              for (Period t = participation.joined + 1; t <= end; ++t) {
                                const std::uint32_t now = value_at(values, std::min(t, held));
                                if (now == before) continue;
                                sum.end(t, before);
                                sum.start(t, now);
                                before = now;
                              }
                              sum.end(end + 1, before);
                            })
      .figures();
}

}  // namespace futurerand
