#include "futurerand/simulator/run_lives.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "futurerand/core/plan/gone.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/estimator/influence.hpp"
#include "futurerand/simulator/flips.hpp"
#include "futurerand/simulator/view_reports.hpp"

namespace futurerand {
namespace {

struct Lived {
  LivedSums sums;
  std::vector<ViewReports> views;
  // Each worker opens its own; a copy of the zero has none yet.
  std::shared_ptr<RandomSource> entropy;
  std::vector<std::uint64_t> minus, silent;  // of the device at hand, as Told has them
  bool failed = false;

  void merge(const Lived& other) {
    sums.merge(other.sums);
    for (std::size_t v = 0; v < views.size(); ++v) views[v].merge(other.views[v]);
    failed |= other.failed;
  }
};

// What comes due by `last` is sent; the rest never comes. What it held before it joined is unseen.
template <typename Emit>
bool live_until(Device& device, const Flips& flips, const Life& life, RandomSource& coins,
                Emit&& emit) {
  if (life.last < life.joined) return true;
  bool value = value_at(flips, life.joined);
  if (!device.observe(life.joined, value, coins, emit)) return false;
  for (const Period t : flips) {
    if (t <= life.joined) continue;
    if (t > life.last) break;
    value = !value;
    if (!device.observe(t, value, coins, emit)) return false;
  }
  return device.now() >= life.last || device.observe(life.last, value, coins, emit);
}

bool receive(const CertifiedPlan& plan, const Flips& flips, const Life& life, RandomSource& source,
             Lived& lived) {
  Result<Device> device = Device::join(plan, life.joined, source);
  if (!device) return false;
  const Enrolment enrolment = device->enrolment(ClientId{});
  Sums& sums = lived.sums.simulated.sums;
  sums.enrol(enrolment.view, enrolment.period, enrolment.index);
  ViewReports& reports = lived.views[enrolment.view];
  std::optional<Presence>& presence = lived.sums.presence;
  if (presence) {
    std::fill(lived.minus.begin(), lived.minus.end(), 0);
    std::fill(lived.silent.begin(), lived.silent.end(), 0);
  }
  const auto emit = [&](const SignRun& run) {
    reports.add(run);
    if (!presence) return;
    const std::uint32_t at = run.first_index - 1;
    lived.minus[at / 64] |= run.minus << (at % 64);
    if (!lived.silent.empty()) lived.silent[at / 64] |= run.silent << (at % 64);
  };
  if (!live_until(*device, flips, life, source, emit)) return false;
  const auto seen = std::count_if(flips.begin(), flips.end(),
                                  [&](Period t) { return t > life.joined && t <= life.last; });
  if (device->reports_news() &&
      seen + (value_at(flips, life.joined) ? 1 : 0) > std::ptrdiff_t{plan.plan().max_changes}) {
    ++lived.sums.simulated.clipped_users;
  }
  if (!presence) return true;
  const Told told{
      enrolment.view,
      life.joined,
      life.last + 1,
      device->first_index(),
      device->next_index(),
      lived.minus.data(),
      may_be_silent(plan.plan().views[enrolment.view].law) ? lived.silent.data() : nullptr};
  if (plan.plan().heartbeats) {
    presence->add_missing(told.next, 1);
  } else if (told.next > told.joined) {
    presence->add_newcomers(told.joined, first_report(told));
  }
  // As the collector does it: the newest report may still be on its way.
  if (told.next < plan.plan().num_periods) presence->put(told);
  return true;
}

struct Claim {
  std::uint32_t view;
  std::uint32_t start;
};

// A device that lies is there from the first period to the last, in the view that it claims.
void receive_lies(const Plan& plan, const Claim& claim, bool minus, Lived& lived) {
  lived.sums.simulated.sums.enrol(claim.view, 1, claim.start);
  const Schedule schedule(plan.views[claim.view], plan.num_periods);
  for (std::uint32_t index = schedule.first_index(1, claim.start); index <= schedule.num_indices;
       index += schedule.stride) {
    lived.views[claim.view].add({index, 1, minus ? 1U : 0U, 0});
  }
  if (lived.sums.presence && !plan.heartbeats) {
    lived.sums.presence->add_newcomers(1, one_report(sign_of(minus)));
  }
}

bool receive_liar(const CertifiedPlan& plan, Attack attack, const Claim& best, RandomSource& source,
                  Lived& lived) {
  Result<Device> device = Device::join(plan, 1, source);
  if (!device) return false;
  const Enrolment drawn = device->enrolment(ClientId{});
  const Claim claim = attack == Attack::kView ? best : Claim{drawn.view, drawn.index};
  receive_lies(plan.plan(), claim, attack == Attack::kMinus, lived);
  return true;
}

}  // namespace

Result<LivedSums> run_lives(const CertifiedPlan& plan, const Population& population,
                            const Lives& lives, const Trial& trial) {
  const Period periods = plan.plan().num_periods;
  Lived zero{{{Sums(plan.plan()), 0}, {}}, {}, nullptr, {}, {}};
  if (shows_who_is_active(plan.plan())) {
    zero.sums.presence.emplace(plan.plan());
    const std::size_t words = (std::size_t{periods} + 63) / 64;
    zero.minus.resize(words);
    zero.silent.resize(zero.sums.presence->may_be_silent() ? words : 0);
  }
  for (const View& view : plan.plan().views) {
    zero.views.emplace_back(view.num_indices(periods), may_be_silent(view.law));
  }
  Claim best{0, 0};
  if (lives.num_liars(population.num_users()) > 0 && lives.attack() == Attack::kView) {
    const Influence influence = influence_of_one(plan.plan(), population.num_users());
    best = {influence.view, influence.start};
  }
  Lived lived = fold_users(
      population, trial.workers, zero, [&](Lived& sum, std::uint64_t user, const Flips& flips) {
        if (sum.failed) return;
        const auto receive_from = [&](RandomSource& source) {
          return lives.is_liar(user, population.num_users())
                     ? receive_liar(plan, lives.attack(), best, source, sum)
                     : receive(plan, flips, lives.of(user, flips), source, sum);
        };
        if (trial.entropy) {
          if (!sum.entropy) sum.entropy = trial.entropy();
          if (!receive_from(*sum.entropy)) sum.failed = true;
        } else {
          PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
          if (!receive_from(source)) sum.failed = true;
        }
      });
  if (lived.failed) {
    return Error{"the devices' source of randomness failed; nothing was sent",
                 ErrorCode::kNoEntropy};
  }
  for (std::uint32_t v = 0; v < lived.views.size(); ++v) {
    lived.views[v].fold_into(lived.sums.simulated.sums, v);
  }
  return lived.sums;
}

}  // namespace futurerand
