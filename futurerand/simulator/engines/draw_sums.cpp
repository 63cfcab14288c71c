#include <cstdlib>
#include <optional>

#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"
#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/simulator/engines/binomial.hpp"
#include "futurerand/simulator/engines/draw_innovation.hpp"
#include "futurerand/simulator/engines/draw_pulses.hpp"
#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/engines/view_reports.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

// The sums have the reports about a user's data. `up` counts, for views of values, the net flips to
// 1 at each index.
struct Drawn {
  SimulatedSums simulated;
  std::vector<std::vector<std::int64_t>> up;  // by view; empty for other kinds
  std::optional<ViewReports> innovation;      // of the one view of `innovation`
  std::vector<ViewReports> pulses;            // by view of `pulse`

  void merge(const Drawn& other) {
    simulated.merge(other.simulated);
    if (innovation) innovation->merge(*other.innovation);
    for (std::size_t v = 0; v < pulses.size(); ++v) pulses[v].merge(other.pulses[v]);
    for (std::size_t v = 0; v < up.size(); ++v) {
      for (std::size_t j = 0; j < up[v].size(); ++j) up[v][j] += other.up[v][j];
    }
  }
};

class UserDraw {
 public:
  UserDraw(const CertifiedPlan& plan, const Trial& trial) : plan_(plan), trial_(trial) {}

  void operator()(Drawn& drawn, std::uint64_t user, const Flips& flips) const {
    PhiloxSource source(trial_.key, Stream::kDevice, trial_.number, user);
    UniformBits bits(source);
    const std::uint32_t view_index = plan_.draw_view(bits);
    const View& view = plan_.plan().views[view_index];
    const Schedule schedule(view, plan_.plan().num_periods);
    const std::uint32_t indices = schedule.num_indices;
    Sums& sums = drawn.simulated.sums;
    if (view.kind == ViewKind::kSnapshot || view.kind == ViewKind::kOnce) {
      const std::uint32_t start = schedule.draws_start() ? bits.below(schedule.stride) + 1 : 0;
      sums.enrol(view_index, 1, start);
      const SignVector b = noise(view_index, source);
      std::uint32_t index = schedule.first_index(1, start);
      for (std::uint32_t j = 0; index <= indices; ++j, index += schedule.stride) {
        const Sign sign = b.at(j);
        const bool value = value_at(flips, schedule.due(index));
        sums.add(view_index, index, one_report(value ? sign : reversed(sign)));
      }
      if (view.kind == ViewKind::kOnce) count_changes(flips, drawn);
      return;
    }
    sums.enrol(view_index, 1, 0);
    if (view.kind == ViewKind::kInnovation) {
      draw_innovation(plan_, FlippedValues(flips), source,
                      [&](const SignRun& run) { drawn.innovation->add(run); });
      count_changes(flips, drawn);
      return;
    }
    if (view.kind == ViewKind::kPulse) {
      draw_pulses(plan_, view_index, flips, source, drawn.pulses[view_index]);
      count_changes(flips, drawn);
      return;
    }
    if (view.kind == ViewKind::kValues) {
      for (std::size_t i = 0; i < flips.size(); ++i) {
        const std::uint32_t index = ((flips[i] - 1) >> view.order) + 1;
        if (index <= indices) drawn.up[view_index][index - 1] += i % 2 == 0 ? +1 : -1;
      }
      return;
    }
    if (flips.empty()) return;
    const SignVector b = noise(view_index, source);
    std::uint32_t used = 0;
    for_each_nonzero_sum(flips, view.order, indices, [&](IntervalIndex index, int sum) {
      if (used++ < b.size()) {
        const Sign sign = b.at(used - 1);
        sums.add(view_index, index, one_report(sum > 0 ? sign : reversed(sign)));
      }
    });
    if (used > b.size()) ++drawn.simulated.clipped_users;
  }

 private:
  void count_changes(const Flips& flips, Drawn& drawn) const {
    const Plan& plan = plan_.plan();
    if (num_changes(flips, plan.initial) > plan.max_changes) ++drawn.simulated.clipped_users;
  }

  SignVector noise(std::uint32_t view, PhiloxSource& source) const {
    return *plan_.sampler(view).draw(source);
  }

  const CertifiedPlan& plan_;
  const Trial& trial_;
};

PhiloxSource coins_of(const Trial& trial, std::uint32_t view, std::uint32_t index) {
  return {trial.key, Stream::kCoins, trial.number, (std::uint64_t{view} << 32) | index};
}

std::int64_t as_signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

// Zeros of an index leave as fair coins, or are silent.
void add_coins(const Trial& trial, const Law& law, std::uint32_t view, std::uint64_t devices,
               Sums& sums) {
  const std::uint32_t nonzero = nonzero_units(law);
  for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
    const std::uint64_t zeros = devices - sums.at(view, index).count;
    PhiloxSource source = coins_of(trial, view, index);
    // This is speak / 2^16 as a threshold; speaking always is no probability below 1.
    const std::uint64_t spoken =
        nonzero < SparseLaw::kUnits ? binomial(source, zeros, std::uint64_t{nonzero} << 48) : zeros;
    const std::uint64_t heads = binomial_half(source, spoken);
    sums.add(view, index, {2 * as_signed(heads) - as_signed(spoken), zeros, spoken});
  }
}

// A product law reverses each value on its own: of the ones and of the zeros of an index it
// reverses a binomial number.
void add_values(const Trial& trial, std::uint32_t view, std::uint64_t flip, std::uint64_t devices,
                const std::vector<std::int64_t>& up, Sums& sums) {
  std::uint64_t ones = 0;
  for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
    ones += static_cast<std::uint64_t>(up[index - 1]);
    const std::uint64_t zeros = devices - ones;
    PhiloxSource source = coins_of(trial, view, index);
    const std::uint64_t reversed_ones = binomial(source, ones, flip);
    const std::uint64_t reversed_zeros = binomial(source, zeros, flip);
    const std::uint64_t minus = reversed_ones + (zeros - reversed_zeros);
    sums.add(view, index, as_signed(devices) - 2 * as_signed(minus), devices);
  }
}

}  // namespace

SimulatedSums draw_sums(const CertifiedPlan& plan, const Population& population,
                        const Trial& trial) {
  const std::vector<View>& views = plan.plan().views;
  Drawn zero{{Sums(plan.plan()), 0}, {}, std::nullopt, {}};
  if (plan.innovation_levels() != nullptr) {
    zero.innovation.emplace(plan.plan().num_periods, may_be_zero(views.front().law));
  }
  for (const View& view : views) {
    if (view.kind == ViewKind::kPulse) zero.pulses.emplace_back(plan.plan().num_periods, false);
    zero.up.emplace_back(view.kind == ViewKind::kValues ? view.num_indices(plan.plan().num_periods)
                                                        : 0);
  }
  Drawn drawn = fold_users(population, trial.workers, zero, UserDraw(plan, trial));
  Sums& sums = drawn.simulated.sums;
  if (drawn.innovation) drawn.innovation->fold_into(sums, 0);
  for (std::uint32_t v = 0; v < drawn.pulses.size(); ++v) drawn.pulses[v].fold_into(sums, v);
  if (trial.workers.cancelled()) return drawn.simulated;
  for (std::uint32_t v = 0; v < views.size(); ++v) {
    const std::uint64_t devices = sums.enrolled_in(v, 1);
    if (views[v].kind == ViewKind::kChanges) add_coins(trial, views[v].law, v, devices, sums);
    if (views[v].kind == ViewKind::kValues) {
      const auto* law = std::get_if<ProductLaw>(&views[v].law);
      if (law == nullptr) std::abort();
      add_values(trial, v, law->flip, devices, drawn.up[v], sums);
    }
  }
  return drawn.simulated;
}

}  // namespace futurerand
