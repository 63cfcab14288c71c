#include "futurerand/simulator/season_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/panels.hpp"
#include "futurerand/simulator/engines/run_churn.hpp"

namespace futurerand {
namespace {

// Replaces values by those of a season from period `first` on, by the season's periods.
void shift(Values& values, std::int64_t first) {
  Values shifted;
  for (const ValueFrom& at : values) {
    const std::int64_t period = std::int64_t{at.period} - first + 1;
    if (period <= 1 && !shifted.empty()) shifted.clear();
    shifted.push_back({static_cast<Period>(std::max<std::int64_t>(1, period)), at.value});
  }
  values = std::move(shifted);
}

class SeasonProtocol final : public SimulatedProtocol {
 public:
  SeasonProtocol(CertifiedPlan plan, const Calendar& calendar, const ProtocolSettings& settings)
      : plan_(std::move(plan)),
        calendar_(calendar),
        settings_(settings),
        presence_(empty_presence(plan_.plan(), false)),
        traits_{std::string(name_of(plan_.plan().protocol)),
                Guarantee::kWindow,
                true,
                0,
                1,
                "private in each season; a lasting fact is reported again in the next"} {
    traits_.bits_per_user = static_cast<double>(settings.num_periods) *
                            static_cast<double>(calendar.season()) /
                            static_cast<double>(calendar.cycle());
    if (plan_.plan().protocol == Protocol::kOnce) {
      traits_.bits_per_user /= static_cast<double>(calendar.season());
    }
  }

  const ProtocolTraits& traits() const override { return traits_; }

  // The mean over the live panels, each at its own age, and the sampling of the participants, if
  // half of the devices hold 1.
  std::optional<std::vector<double>> predicted_variances() const override {
    std::vector<double> by_age = futurerand::predicted_variances(plan_.plan());
    if (plan_.plan().protocol == Protocol::kOnce) {
      for (double& variance : by_age) variance -= 0.25;  // included in the sampling below
    }
    const double users = static_cast<double>(settings_.num_users);
    const double live =
        static_cast<double>(calendar_.season()) / static_cast<double>(calendar_.cycle());
    std::vector<double> variances;
    for (std::int64_t t = 1; t <= settings_.num_periods; ++t) {
      double sum = 0;
      const std::int64_t first = calendar_.first_live(t);
      for (std::int64_t s = first; s < first + calendar_.num_live(); ++s) {
        const std::int64_t joined = std::max<std::int64_t>(1, calendar_.first(s));
        sum += by_age[static_cast<std::size_t>(t - joined)];
      }
      const double noise = sum / static_cast<double>(calendar_.num_live());
      variances.push_back(users / live * (noise + 0.25 * (1 - live)));
    }
    return variances;
  }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    Panels panels{calendar_, settings_.num_periods + 1};
    TrialOutcome outcome;
    const std::int64_t last = calendar_.first_live(settings_.num_periods) + calendar_.num_live();
    for (std::int64_t season = 1; season < last; ++season) {
      Result<ChurnSums> sums = run_season(population, trial, season);
      if (!sums) return sums.error();
      if (trial.workers.cancelled()) return outcome;
      outcome.clipped_users += sums->simulated.clipped_users;
      // The season is over: missing reports never come.
      const Period over = plan_.plan().num_periods + settings_.inactive_after + 1;
      const Presence* presence = sums->presence ? &*sums->presence : nullptr;
      panels.seasons[season] = std::make_shared<const Panel>(
          panel_of(plan_.plan(), {sums->simulated.sums, presence, over}, settings_.inactive_after));
    }
    const double users = static_cast<double>(settings_.num_users);
    for (Period t = 1; t <= settings_.num_periods; ++t) {
      const ActiveCount count = panels.count(t);
      const double variance =
          count.variance + sampling_variance(count.value, count.devices, panels.resting());
      const double scale = users / count.devices;  // not a number if nobody takes part
      outcome.estimates.push_back({t, count.value * scale, std::sqrt(variance) * scale});
    }
    outcome.alarm = check_panels(panels, settings_.inactive_after);
    return outcome;
  }

  SequenceLoss sequence_loss() const override {
    return {certify(plan_.plan())->exact_epsilon(), "exact, in integers, in one season"};
  }

 private:
  // Each season draws anew: the trial's number tells seasons apart.
  Result<ChurnSums> run_season(const Population& population, const Trial& trial,
                               std::int64_t season) const {
    const std::int64_t first = calendar_.first(season), last = calendar_.last(season);
    const Trial drawn{trial.key,     trial.number << 32 | static_cast<std::uint64_t>(season),
                      trial.engine,  trial.workers,
                      trial.entropy, nullptr};
    const auto takes_part = [&](std::uint64_t user,
                                Values& values) -> std::optional<Participation> {
      PhiloxSource phases(trial.key, Stream::kLife, trial.number << 32, user);
      const auto phase =
          static_cast<std::int64_t>(phases.uniform() * static_cast<double>(calendar_.num_phases()));
      if (phase != calendar_.phase(season)) return std::nullopt;
      Participation there{1, settings_.num_periods};
      if (trial.churn != nullptr) there = trial.churn->of(user, values);
      const std::int64_t joins = std::max<std::int64_t>({first, there.joined, 1});
      // The horizon of the simulation cuts the last seasons.
      const std::int64_t leaves = std::min<std::int64_t>(last, there.last);
      if (leaves < joins) return std::nullopt;
      shift(values, first);
      return Participation{static_cast<Period>(joins - first + 1),
                           static_cast<Period>(leaves - first + 1)};
    };
    return run_participants(plan_, population, drawn, presence_, takes_part);
  }

  CertifiedPlan plan_;
  Calendar calendar_;
  ProtocolSettings settings_;
  std::optional<Presence> presence_;
  ProtocolTraits traits_;
};

}  // namespace

Result<std::unique_ptr<SimulatedProtocol>> make_season_protocol(Plan season,
                                                                const Calendar& calendar,
                                                                const ProtocolSettings& settings) {
  if (season.coding.has_rows()) {
    return Error{"seasons of labels and buckets are not simulated; expected yes_no or number"};
  }
  Result<CertifiedPlan> certified = CertifiedPlan::create(std::move(season));
  if (!certified) return certified.error();
  return std::unique_ptr<SimulatedProtocol>(
      std::make_unique<SeasonProtocol>(*std::move(certified), calendar, settings));
}

std::vector<double> true_shares(const Population& population, const Churn* churn,
                                const Workers& workers) {
  struct Counts {
    std::vector<double> held, there;
    void merge(const Counts& other) {
      for (std::size_t t = 0; t < held.size(); ++t) {
        held[t] += other.held[t];
        there[t] += other.there[t];
      }
    }
  };
  const Period periods = population.num_periods();
  const double full = population.coding().full_scale();
  const Counts zero{std::vector<double>(periods), std::vector<double>(periods)};
  const Counts all = fold_users<Values>(
      population, workers, zero, [&](Counts& sum, std::uint64_t user, const Values& values) {
        const Participation there =
            churn != nullptr ? churn->of(user, values) : Participation{1, periods};
        auto next = values.begin();
        double held = 0;
        for (Period t = 1; t <= there.last; ++t) {
          while (next != values.end() && next->period <= t) held = (next++)->value / full;
          if (t < there.joined) continue;
          sum.held[t - 1] += held;
          sum.there[t - 1] += 1;
        }
      });
  std::vector<double> shares;
  for (Period t = 0; t < periods; ++t) {
    const double share = all.there[t] > 0 ? all.held[t] / all.there[t] : 0;
    shares.push_back(share * static_cast<double>(population.num_users()));
  }
  return shares;
}

double step_noise_ratio(const Calendar& calendar, const std::vector<double>& truth,
                        const std::vector<std::vector<double>>& estimates) {
  double at_start = 0, elsewhere = 0, num_start = 0, num_elsewhere = 0;
  for (const std::vector<double>& trial : estimates) {
    for (auto t = static_cast<std::size_t>(calendar.cycle()); t < trial.size(); ++t) {
      const double step = trial[t] - truth[t] - (trial[t - 1] - truth[t - 1]);
      const bool starts = t % static_cast<std::size_t>(calendar.every()) == 0;
      (starts ? at_start : elsewhere) += step * step;
      (starts ? num_start : num_elsewhere) += 1;
    }
  }
  return std::sqrt(at_start / num_start / (elsewhere / num_elsewhere));
}

}  // namespace futurerand
