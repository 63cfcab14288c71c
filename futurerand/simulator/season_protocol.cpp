#include "futurerand/simulator/season_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/coding/coded_rows.hpp"
#include "futurerand/estimator/endless_answer.hpp"
#include "futurerand/simulator/engines/run_churn.hpp"
#include "futurerand/simulator/figure_variances.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"

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

  // The noise is the mean over the live panels, each at its own age. The sampling error of the
  // participants assumes that half of the devices hold 1, or that all values are equally frequent.
  std::optional<std::vector<double>> predicted_variances() const override {
    std::vector<double> by_age = futurerand::predicted_variances(plan_.plan());
    if (plan_.plan().protocol == Protocol::kOnce) {
      for (double& variance : by_age) variance -= 0.25;  // included in the sampling below
    }
    const double users = static_cast<double>(settings_.num_users);
    const double live =
        static_cast<double>(calendar_.season()) / static_cast<double>(calendar_.cycle());
    const double participants = users * live;
    std::vector<double> noise;  // of a count of the participants
    for (std::int64_t t = 1; t <= settings_.num_periods; ++t) {
      double sum = 0;
      const std::int64_t first = calendar_.first_live(t);
      for (std::int64_t s = first; s < first + calendar_.num_live(); ++s) {
        const std::int64_t joined = std::max<std::int64_t>(1, calendar_.first(s));
        sum += by_age[static_cast<std::size_t>(t - joined)];
      }
      noise.push_back(participants * sum / static_cast<double>(calendar_.num_live()));
    }
    const Coding& coding = plan_.plan().coding;
    const std::size_t count = num_figures(coding);
    std::vector<double> variances =
        coding.has_rows() ? figure_variances(coding, noise, participants) : std::move(noise);
    for (std::size_t i = 0; i < variances.size(); ++i) {
      const double share = coding.has_rows() ? even_share(coding, i % count) : 0.5;
      variances[i] += participants * (1 - live) * share * (1 - share);
      variances[i] /= live * live;  // of the share, times the number of all users
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
    outcome.alarm = check_panels(panels, settings_.inactive_after);
    if (const Status found = estimate(panels, outcome); !found) return found.error();
    return outcome;
  }

  SequenceLoss sequence_loss() const override {
    return {certify(plan_.plan())->exact_epsilon(), "exact, in integers, in one season"};
  }

 private:
  // All figures of all periods, asked for in parts, because an answer has a limit.
  Status estimate(const Panels& panels, TrialOutcome& outcome) const {
    const Coding& coding = plan_.plan().coding;
    const bool is_distribution = coding.kind() == CodingKind::kDistribution;
    const std::size_t each = num_figures(coding) + (is_distribution ? 2 : 0);
    Question question;
    question.figures_only = true;
    if (coding.has_rows()) {
      question.values.rows = is_distribution ? ValueRows::kCumulative : ValueRows::kByLabel;
      question.values.unbiased = true;
    }
    const auto at_once = static_cast<Period>(std::max<std::size_t>(kMaxCodedRows / each, 1));
    const double users = static_cast<double>(settings_.num_users);
    for (Period from = 1; from <= settings_.num_periods; from += at_once) {
      question.from = from;
      question.to = std::min(from + at_once - 1, settings_.num_periods);
      const Result<Answer> found = answer_panels(plan_.plan(), panels, question);
      if (!found) return found.error();
      for (std::size_t i = 0; i < found->rows.size(); ++i) {
        // Nothing is below the first threshold, and everything below the last.
        if (is_distribution && (i % each == 0 || i % each + 1 == each)) continue;
        const AnswerRow& row = found->rows[i];
        outcome.estimates.push_back({row.period, row.share() * users, row.share_stddev() * users});
      }
    }
    return {};
  }

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
  Result<CertifiedPlan> certified = CertifiedPlan::create(std::move(season));
  if (!certified) return certified.error();
  return std::unique_ptr<SimulatedProtocol>(
      std::make_unique<SeasonProtocol>(*std::move(certified), calendar, settings));
}

std::vector<double> true_shares(const Population& population, const Churn* churn,
                                const Workers& workers) {
  struct Counts {
    HeldCounts held;
    std::vector<std::int64_t> joined;  // how many more devices are there than in the period before
    void merge(const Counts& other) {
      held.merge(other.held);
      for (std::size_t t = 0; t < joined.size(); ++t) joined[t] += other.joined[t];
    }
  };
  const Period periods = population.num_periods();
  const Counts zero{HeldCounts(population.coding(), periods),
                    std::vector<std::int64_t>(periods + std::size_t{1})};
  const Counts all = fold_users<Values>(
      population, workers, zero, [&](Counts& sum, std::uint64_t user, const Values& values) {
        const Participation there =
            churn != nullptr ? churn->of(user, values) : Participation{1, periods};
        if (there.last < there.joined) return;
        ++sum.joined[there.joined - 1];
        --sum.joined[there.last];
        std::uint32_t held = value_at(values, there.joined);
        sum.held.start(there.joined, held);
        for (const ValueFrom& at : values) {
          if (at.period <= there.joined || at.period > there.last) continue;
          sum.held.end(at.period, held);
          sum.held.start(at.period, held = at.value);
        }
        sum.held.end(there.last + 1, held);
      });
  std::vector<double> shares = all.held.figures();
  const std::size_t count = num_figures(population.coding());
  std::int64_t present = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i % count == 0) present += all.joined[i / count];
    const double users = static_cast<double>(population.num_users());
    shares[i] = present > 0 ? shares[i] / static_cast<double>(present) * users : 0;
  }
  return shares;
}

void StepNoise::add(const std::vector<PeriodEstimate>& estimates) {
  const std::size_t figures = truth_.size() / num_periods_;
  const auto error = [&](std::size_t i) { return estimates[i].estimate - truth_[i]; };
  for (auto t = static_cast<std::size_t>(calendar_.cycle()); t < num_periods_; ++t) {
    const bool starts = t % static_cast<std::size_t>(calendar_.every()) == 0;
    for (std::size_t i = t * figures; i < (t + 1) * figures; ++i) {
      const double step = error(i) - error(i - figures);
      (starts ? at_start_ : elsewhere_).add(step * step);
    }
  }
}

}  // namespace futurerand
