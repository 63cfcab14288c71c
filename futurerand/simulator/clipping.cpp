#include "futurerand/simulator/clipping.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/core/randomizer/innovation_randomizer.hpp"
#include "futurerand/estimator/expected_sums.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/philox.hpp"

namespace futurerand {
namespace {

// Large enough to round a mean report by less than a user in a billion.
constexpr double kFleet = 0x1p30;

// Integers, so that the order of users does not matter.
struct ToldOfChanges {
  std::vector<std::int64_t> ups;                   // element t: by how much more is held in t+1
  std::vector<std::vector<std::int64_t>> changes;  // [view][index-1]: reported sum of all changes
  std::vector<std::int64_t>
      lost;  // element t: innovation not reported, in units of 2^-kGapBits / kPaths
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

// Adds to lost[t-1] by how much the mean report of each period falls short.
void add_lost(const std::shared_ptr<const InnovationLevels>& levels, const Values& values,
              PhiloxSource& source, std::vector<std::int64_t>& lost) {
  std::uint64_t unit = 0;
  (void)source.fill({&unit, 1});
  InnovationRandomizer device(
      levels, SignVector(levels->num_signs, levels->may_be_zero()),
      InnovationMemory(*levels, static_cast<std::uint32_t>(unit % levels->full_scale)));
  std::size_t made = 0;
  for (Period t = 1; t <= lost.size(); ++t) {
    if (made < values.size() && values[made].period == t) ++made;
    (void)source.fill({&unit, 1});
    const auto choice =
        device.choose(made == 0 ? 0 : values[made - 1].value, static_cast<std::uint32_t>(unit));
    const auto missing = static_cast<std::int64_t>(choice.missing);
    lost[t - 1] += choice.negative ? missing : -missing;
  }
}

const WeightedThresholdLaw* innovation_law_of(const Plan& plan) {
  return std::get_if<WeightedThresholdLaw>(&plan.views.front().law);
}

void add_user(const Plan& plan, const std::shared_ptr<const InnovationLevels>& levels,
              std::uint64_t user, const Values& values, ToldOfChanges& told) {
  std::int64_t held = 0;
  for (const ValueFrom& at : values) {
    told.ups[at.period - 1] += at.value - held;
    held = at.value;
  }
  const std::uint64_t most = std::uint64_t{plan.max_changes} * plan.coding.full_scale();
  if (levels != nullptr) {
    if (variation(values, plan.initial) <= most) return;
    PhiloxSource source(SimulationKey{}, Stream::kDevice, 0, user);
    for (std::uint32_t i = 0; i < kPaths; ++i) add_lost(levels, values, source, told.lost);
    ++told.clipped;
    return;
  }
  const Flips flips = flips_of(values);
  bool clipped = false;
  if (plan.protocol == Protocol::kPulse) {  // only the first change is ever seen
    clipped = flips.size() > 1;
    if (!flips.empty()) ++told.changes.front()[flips.front() - 1];
  }
  if (plan.protocol == Protocol::kOnce) clipped = num_changes(flips, plan.initial) > 0;
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
  const WeightedThresholdLaw* law = innovation_law_of(plan);
  const auto levels = law != nullptr
                          ? std::make_shared<const InnovationLevels>(*law, plan.coding.full_scale())
                          : nullptr;
  const ToldOfChanges told = fold_users<Values>(
      population, workers, zero, [&](ToldOfChanges& sum, std::uint64_t user, const Values& values) {
        add_user(plan, levels, user, values, sum);
      });
  if (told.clipped == 0 || workers.cancelled()) return std::nullopt;

  const double users = static_cast<double>(population.num_users());
  std::vector<double> truth;
  for (const std::int64_t up : told.ups) {
    truth.push_back((truth.empty() ? 0 : truth.back()) +
                    static_cast<double>(up) / plan.coding.full_scale());
  }
  std::vector<double> entered(1);
  for (Period t = 1; plan.protocol == Protocol::kPulse && t <= periods; ++t) {
    entered.push_back(entered.back() + static_cast<double>(told.changes.front()[t - 1]) / users);
  }
  MeanReport mean = [&](std::uint32_t v, std::uint32_t index) {
    const View& view = plan.views[v];
    if (const auto* pulses = std::get_if<PulseLaw>(&view.law)) {
      return mean_pulse(*pulses, entered[index] - entered[index - std::min(index, pulses->window)]);
    }
    const double c = to_double(gap(view.law));
    if (view.kind == ViewKind::kChanges) {
      return c * static_cast<double>(told.changes[v][index - 1]) / users;
    }
    return c * (2 * truth[(index << view.order) - 1] / users - 1);
  };
  std::vector<double> innovation;
  if (law != nullptr) {
    const InnovationFilter filter(*law);
    // Before the first period x is 1/2 or 0, and so the filter sees x less that.
    const double before = filter.starts_unknown ? users / 2 : 0;
    const double unit = std::ldexp(1.0 / kPaths, -static_cast<int>(WeightedThresholdLaw::kGapBits));
    for (Period t = 0; t < periods; ++t) {
      double fresh = truth[t] - before - (filter.starts_unknown ? 0 : users * filter.alpha / 2);
      for (std::size_t j = 1; j <= std::min<std::size_t>(t, filter.phi.size()); ++j) {
        fresh -= filter.phi[j - 1] * (truth[t - j] - before);
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
