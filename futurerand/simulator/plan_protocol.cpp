#include "futurerand/simulator/plan_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/coding/coded_rows.hpp"
#include "futurerand/simulator/clipping.hpp"
#include "futurerand/simulator/device_client.hpp"
#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/engines/run_churn.hpp"
#include "futurerand/simulator/engines/run_rows.hpp"
#include "futurerand/simulator/figure_variances.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"

namespace futurerand {
namespace {

double bits_per_user(const Plan& plan) {
  double bits = 0;
  for (const View& view : plan.views) {
    const Schedule schedule(view, plan.num_periods);
    const double reports = static_cast<double>(schedule.num_indices) / schedule.stride;
    const double bits_each = schedule.may_be_zero ? std::log2(3.0) : 1;
    bits += reports * bits_each * static_cast<double>(view.weight) /
            static_cast<double>(plan.total_weight());
  }
  return bits;
}

Period first_answer(const std::vector<double>& variances) {
  Period t = 1;
  while (t < variances.size() && !std::isfinite(variances[t - 1])) ++t;
  return t;
}

class PlanProtocol final : public SimulatedProtocol {
 public:
  PlanProtocol(CertifiedPlan plan, std::string name, const ProtocolSettings& settings)
      : plan_(std::move(plan)),
        settings_(settings),
        variances_(futurerand::predicted_variances(plan_.plan())),
        presence_(empty_presence(plan_.plan(), settings.transcript_cap)),
        traits_{std::move(name), Guarantee::kWholeSequence, true, bits_per_user(plan_.plan()),
                first_answer(variances_)} {
    for (double& variance : variances_) variance *= static_cast<double>(settings.num_users);
    if (!plan_.plan().coding.has_rows()) return;
    variances_ =
        figure_variances(plan_.plan().coding, variances_, static_cast<double>(settings.num_users));
    uncapped_ = empty_presence(plan_.plan(), false);
  }

  const ProtocolTraits& traits() const override { return traits_; }

  // The closed form is for the online estimate only.
  std::optional<std::vector<double>> predicted_variances() const override {
    if (!is_online(plan_.plan(), settings_.estimator)) return std::nullopt;
    return variances_;
  }

  std::optional<std::vector<double>> expected_bias(const Population& population,
                                                   const Workers& workers) const override {
    if (plan_.plan().coding.has_rows()) return std::nullopt;
    return clipping_bias(plan_.plan(), population, settings_.estimator, workers);
  }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    if (trial.churn != nullptr) return run_with_churn(population, trial);
    if (plan_.plan().coding.has_rows()) {
      const Result<SimulatedRows> rows = run_rows(plan_, population, trial, *uncapped_);
      if (!rows) return rows.error();
      return outcome_of({rows->simulated, rows->presence});
    }
    const bool sums_alone =
        trial.engine == Engine::kSums && plan_.plan().coding.kind() == CodingKind::kYesNo;
    const Result<SimulatedSums> simulated =
        !sums_alone ? run_devices(plan_, population, trial) : draw_sums(plan_, population, trial);
    if (!simulated) return simulated.error();
    const Result<Answer> found = ask(simulated->sums, nullptr, Estimand::kEnrolled);
    if (!found) return found.error();
    TrialOutcome outcome = outcome_of(*found);
    outcome.clipped_users = simulated->clipped_users;
    return outcome;
  }

  SequenceLoss sequence_loss() const override {
    return {certify(plan_.plan())->exact_epsilon(),
            "exact, in integers, over all pairs of sequences"};
  }

  Result<ClientRun> client() const override { return device_client(plan_); }

 private:
  Result<Answer> ask(const Sums& sums, const Presence* presence, Estimand estimand, Period from = 1,
                     Period to = kMaxPeriods) const {
    const Plan& plan = plan_.plan();
    Question question{settings_.estimator, estimand, settings_.inactive_after};
    question.influence = false;
    question.from = from;
    question.to = to;
    if (plan.coding.has_rows()) {
      const bool is_distribution = plan.coding.kind() == CodingKind::kDistribution;
      question.values.rows = is_distribution ? ValueRows::kCumulative : ValueRows::kByLabel;
      question.values.unbiased = true;
    }
    return answer(plan, {sums, presence, plan.num_periods + 1}, question);
  }
  Result<Answer> ask(const ChurnSums& lived) const {
    return ask(lived.simulated.sums, presence_of(lived), settings_.estimand);
  }

  static TrialOutcome outcome_of(const Answer& found) {
    TrialOutcome outcome;
    for (const AnswerRow& row : found.rows) {
      outcome.estimates.push_back({row.period, row.estimate, row.stddev});
    }
    outcome.alarm = found.alarm;
    outcome.cap_bias = found.cap_bias;
    return outcome;
  }

  // All labels or thresholds of all periods, asked for in parts, because an answer has a limit.
  Result<TrialOutcome> outcome_of(const ChurnSums& lived) const {
    const Plan& plan = plan_.plan();
    const bool is_distribution = plan.coding.kind() == CodingKind::kDistribution;
    const std::size_t each = num_figures(plan.coding) + (is_distribution ? 2 : 0);
    const auto at_once = static_cast<Period>(std::max<std::size_t>(kMaxCodedRows / each, 1));
    TrialOutcome outcome;
    outcome.clipped_users = lived.simulated.clipped_users;
    for (Period from = 1; from <= plan.num_periods; from += at_once) {
      const Result<Answer> found = ask(lived.simulated.sums, presence_of(lived), Estimand::kActive,
                                       from, from + at_once - 1);
      if (!found) return found.error();
      for (std::size_t i = 0; i < found->rows.size(); ++i) {
        // Nothing is below the first threshold, and everything below the last.
        if (is_distribution && (i % each == 0 || i % each + 1 == each)) continue;
        const AnswerRow& row = found->rows[i];
        outcome.estimates.push_back({row.period, row.estimate, row.stddev});
      }
      outcome.alarm = found->alarm;
      outcome.cap_bias = found->cap_bias;
    }
    return outcome;
  }

  static const Presence* presence_of(const ChurnSums& lived) {
    return lived.presence ? &*lived.presence : nullptr;
  }

  Result<TrialOutcome> run_with_churn(const Population& population, const Trial& trial) const {
    const Plan& plan = plan_.plan();
    const Result<ChurnTrial> lived = run_churn(plan_, population, *trial.churn, trial, presence_);
    if (!lived) return lived.error();
    if (plan.coding.has_rows()) return outcome_of(lived->all);
    const Result<Answer> found = ask(lived->all);
    if (!found) return found.error();
    TrialOutcome outcome = outcome_of(*found);
    outcome.clipped_users = lived->all.simulated.clipped_users;
    if (!lived->honest) return outcome;
    const Result<Answer> honest = ask(*lived->honest);
    if (!honest) return honest.error();
    for (std::size_t t = 0; t < found->rows.size(); ++t) {
      outcome.moved.push_back(std::abs(found->rows[t].estimate - honest->rows[t].estimate));
    }
    outcome.one_moves_at_most = one_device_moves(
        plan, {lived->honest->simulated.sums, presence_of(*lived->honest), plan.num_periods + 1},
        settings_.estimand, honest->rows);
    return outcome;
  }

  CertifiedPlan plan_;
  ProtocolSettings settings_;
  std::vector<double> variances_;
  std::optional<Presence> presence_;  // before anybody is there
  std::optional<Presence> uncapped_;  // the same without a cap, if devices answer rows
  ProtocolTraits traits_;
};

}  // namespace

Result<std::unique_ptr<SimulatedProtocol>> make_plan_protocol(std::string_view name,
                                                              const ProtocolSettings& settings) {
  Result<Plan> plan = make_plan(*protocol_named(name), settings.num_periods, settings.max_changes,
                                settings.epsilon, settings.initial, settings.coding);
  if (!plan) return plan.error();
  return make_protocol_from(*std::move(plan), std::string(name), settings);
}

Result<std::unique_ptr<SimulatedProtocol>> make_protocol_from(Plan plan, std::string name,
                                                              const ProtocolSettings& settings) {
  Result<CertifiedPlan> certified = CertifiedPlan::create(std::move(plan));
  if (!certified) return certified.error();
  return std::unique_ptr<SimulatedProtocol>(
      std::make_unique<PlanProtocol>(*std::move(certified), std::move(name), settings));
}

}  // namespace futurerand
