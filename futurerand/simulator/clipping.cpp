#include "futurerand/simulator/clipping.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/expected_sums.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/philox.hpp"

namespace futurerand {
namespace {

// So many that rounding a mean report costs less than a user in a billion.
constexpr double kFleet = 0x1p30;

// Integers, so that the order of users does not matter.
struct ToldOfChanges {
  std::vector<std::int64_t> ups;                   // element t: how many more hold 1 from t+1 on
  std::vector<std::vector<std::int64_t>> changes;  // [view][index-1]: what is told of all changes
  std::vector<std::int64_t>
      lost;  // element t: innovation that is not told, in units of 2^-kGapBits / kPaths
  std::uint64_t clipped = 0;

  void merge(const ToldOfChanges& other) {
    const auto add = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    add(ups, other.ups);
    add(lost, other.lost);
    for (std::size_t v = 0; v < changes.size(); ++v) add(changes[v], other.changes[v]);
    clipped += other.clipped;
  }
};

// The rule of core/law/innovation.md for one device, with its noise replaced by its means.
class InnovationPath {
 public:
  explicit InnovationPath(const WeightedThresholdLaw& law) : levels_(law.levels) {}

  // Adds to lost[t-1] how much less than its innovation each period tells.
  void add_lost(const Flips& flips, PhiloxSource& source, std::vector<std::int64_t>& lost) {
    std::vector<std::uint32_t> left;
    for (const auto& level : levels_) left.push_back(level.stock);
    const auto settled = static_cast<std::int64_t>(levels_.back().gap);
    std::size_t made = 0;
    for (Period t = 1; t <= lost.size(); ++t) {
      if (made < flips.size() && flips[made] == t) ++made;
      // Each change adds what its age says, with the sign of the value that it brought.
      std::int64_t innovation = -settled;
      for (std::size_t i = 0; i < made; ++i) {
        const std::size_t age = std::min<std::size_t>(t - flips[i], levels_.size() - 1);
        const std::int64_t fresh = settled + static_cast<std::int64_t>(levels_[age].gap);
        innovation += i % 2 == 0 ? fresh : -fresh;
      }
      const std::int64_t size = std::abs(innovation);
      const std::int64_t kept = tell(size, left, source);
      lost[t - 1] += innovation < 0 ? size - kept : kept - size;
    }
  }

 private:
  // Returns the mean of what is told of innovation of this size, and uses a sign up where the bits
  // say so.
  std::int64_t tell(std::int64_t size, std::vector<std::uint32_t>& left, PhiloxSource& source) {
    const auto gap_of = [&](std::size_t l) { return static_cast<std::int64_t>(levels_[l].gap); };
    std::size_t level = levels_.size();
    for (std::size_t l = levels_.size(); l-- > 0 && level == levels_.size();) {
      if (left[l] > 0 && gap_of(l) >= size) level = l;
    }
    for (std::size_t l = 0; l < levels_.size() && level == levels_.size(); ++l) {
      if (left[l] > 0) level = l;
    }
    if (level == levels_.size()) return 0;
    const std::int64_t kept = std::min(size, gap_of(level));
    if (source.uniform() * static_cast<double>(gap_of(level)) < static_cast<double>(size)) {
      --left[level];
    }
    return kept;
  }

  const std::vector<WeightedThresholdLaw::Level>& levels_;
};

const WeightedThresholdLaw* innovation_law_of(const Plan& plan) {
  return std::get_if<WeightedThresholdLaw>(&plan.views.front().law);
}

void add_user(const Plan& plan, std::uint64_t user, const Flips& flips, ToldOfChanges& told) {
  for (std::size_t i = 0; i < flips.size(); ++i) told.ups[flips[i] - 1] += i % 2 == 0 ? 1 : -1;
  bool clipped = false;
  if (const WeightedThresholdLaw* law = innovation_law_of(plan)) {
    if (flips.size() <= plan.max_changes) return;
    clipped = true;
    PhiloxSource source(SimulationKey{}, Stream::kDevice, 0, user);
    InnovationPath path(*law);
    for (std::uint32_t i = 0; i < kPaths; ++i) path.add_lost(flips, source, told.lost);
  }
  if (plan.protocol == Protocol::kPulse) {  // only the first change is ever seen
    clipped = flips.size() > 1;
    if (!flips.empty()) ++told.changes.front()[flips.front() - 1];
  }
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    if (view.kind != ViewKind::kChanges) continue;
    std::uint32_t left = num_signs(view.law);
    for_each_nonzero_sum(flips, view.order, view.num_indices(plan.num_periods),
                         [&](IntervalIndex index, int sum) {
                           clipped |= left == 0;
                           if (left == 0) return;
                           --left;
                           told.changes[v][index - 1] += sum;
                         });
  }
  told.clipped += clipped ? 1U : 0U;
}

}  // namespace

std::optional<std::vector<double>> clipping_bias(const Plan& plan, const Population& population,
                                                 EstimatorKind estimator, const Workers& workers) {
  const Period periods = plan.num_periods;
  ToldOfChanges zero{std::vector<std::int64_t>(periods), {}, std::vector<std::int64_t>(periods)};
  for (const View& view : plan.views) zero.changes.emplace_back(view.num_indices(periods));
  const ToldOfChanges told = fold_users(
      population, workers, zero, [&](ToldOfChanges& sum, std::uint64_t user, const Flips& flips) {
        add_user(plan, user, flips, sum);
      });
  if (told.clipped == 0 || workers.cancelled()) return std::nullopt;

  const double users = static_cast<double>(population.num_users());
  std::vector<double> truth;
  for (const std::int64_t up : told.ups) {
    truth.push_back((truth.empty() ? 0 : truth.back()) + static_cast<double>(up));
  }
  std::vector<double> entered(1);
  for (Period t = 1; plan.protocol == Protocol::kPulse && t <= periods; ++t) {
    entered.push_back(entered.back() + static_cast<double>(told.changes.front()[t - 1]) / users);
  }
  MeanReport mean = [&](std::uint32_t v, std::uint32_t index) {
    const View& view = plan.views[v];
    if (const auto* law = std::get_if<PulseLaw>(&view.law)) {
      return mean_pulse(*law, entered[index] - entered[index - std::min(index, law->window)]);
    }
    const double c = to_double(gap(view.law));
    if (view.kind == ViewKind::kChanges) {
      return c * static_cast<double>(told.changes[v][index - 1]) / users;
    }
    return c * (2 * truth[(index << view.order) - 1] / users - 1);
  };
  std::vector<double> innovation;
  if (const WeightedThresholdLaw* law = innovation_law_of(plan)) {
    const InnovationFilter filter(*law);
    const double unit = std::ldexp(1.0 / kPaths, -static_cast<int>(WeightedThresholdLaw::kGapBits));
    for (Period t = 0; t < periods; ++t) {
      double fresh = truth[t] - users * filter.alpha / 2;
      for (std::size_t j = 1; j <= std::min<std::size_t>(t, filter.phi.size()); ++j) {
        fresh -= filter.phi[j - 1] * truth[t - j];
      }
      innovation.push_back((filter.kappa * fresh + unit * static_cast<double>(told.lost[t])) /
                           users);
    }
    mean = [&](std::uint32_t, std::uint32_t t) { return innovation[t - 1]; };
  }
  const Sums fleet = expected_sums_with(plan, mean, kFleet);
  const double devices = static_cast<double>(fleet.enrolled_by_period().front());
  std::vector<double> bias;
  for (const PeriodEstimate& at : estimate(plan, fleet, estimator, periods)) {
    bias.push_back(at.estimate * users / devices - truth[at.period - 1]);
  }
  return bias;
}

}  // namespace futurerand
