#include "futurerand/simulator/plan_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "futurerand/core/plan/gone.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/enrolled.hpp"
#include "futurerand/estimator/self_check.hpp"
#include "futurerand/estimator/stated_cap.hpp"
#include "futurerand/simulator/clipping.hpp"
#include "futurerand/simulator/device_client.hpp"
#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/engines/run_churn.hpp"

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
  PlanProtocol(CertifiedPlan plan, const ProtocolSettings& settings)
      : plan_(std::move(plan)),
        settings_(settings),
        variances_(futurerand::predicted_variances(plan_.plan())),
        presence_(empty_presence(plan_.plan(), settings.transcript_cap, settings.gone_after)),
        traits_{std::string(name_of(plan_.plan().protocol)), Guarantee::kWholeSequence, true,
                bits_per_user(plan_.plan()), first_answer(variances_)} {
    for (double& variance : variances_) variance *= static_cast<double>(settings.num_users);
  }

  const ProtocolTraits& traits() const override { return traits_; }

  // The closed form is that of the online estimate.
  std::optional<std::vector<double>> predicted_variances() const override {
    if (!is_online(plan_.plan().protocol, settings_.estimator)) return std::nullopt;
    return variances_;
  }

  std::optional<std::vector<double>> expected_bias(const Population& population,
                                                   const Workers& workers) const override {
    return clipping_bias(plan_.plan(), population, settings_.estimator, workers);
  }

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    if (trial.churn != nullptr) return run_with_churn(population, trial);
    const Result<SimulatedSums> simulated = trial.engine == Engine::kUsers
                                                ? run_devices(plan_, population, trial)
                                                : draw_sums(plan_, population, trial);
    if (!simulated) return simulated.error();
    const Plan& plan = plan_.plan();
    return TrialOutcome{estimate(plan, simulated->sums, settings_.estimator, plan.num_periods),
                        simulated->clipped_users,
                        check_enrolled(plan, simulated->sums, plan.num_periods)};
  }

  SequenceLoss sequence_loss() const override {
    return {certify(plan_.plan())->exact_epsilon(),
            "exact, in integers, over all pairs of sequences"};
  }

  Result<ClientRun> client() const override { return device_client(plan_); }

 private:
  struct Lived {
    std::vector<PeriodEstimate> estimates;
    std::vector<double> devices = {};  // counted by each
    std::vector<double> reports = {};  // of them, for each
  };

  static const Presence* presence_of(const ChurnSums& lived) {
    return lived.presence ? &*lived.presence : nullptr;
  }

  Lived lived_estimates(const ChurnSums& lived) const {
    const Plan& plan = plan_.plan();
    const Sums& sums = lived.simulated.sums;
    Lived found;
    if (settings_.estimand == Estimand::kEnrolled) {
      found.estimates =
          estimate_enrolled(plan, sums, presence_of(lived), settings_.estimator, plan.num_periods);
      const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
      found.devices.assign(enrolled.begin(), enrolled.end());
      for (Period t = 1; t <= sums.num_indices(0); ++t) {
        found.reports.push_back(static_cast<double>(sums.at(0, t).count));
      }
      return found;
    }
    const GoneRule rule{plan.num_periods + 1, settings_.gone_after};
    for (const ActiveEstimate& active : estimate_active(plan, sums, *lived.presence, rule,
                                                        settings_.estimator, plan.num_periods)) {
      found.estimates.push_back(active.at);
      found.devices.push_back(static_cast<double>(active.devices));
      found.reports.push_back(static_cast<double>(active.reports));
    }
    return found;
  }

  // How far one device can move what these say.
  std::vector<double> at_most(const Lived& honest, const ChurnSums& lived,
                              const Influence& influence) const {
    const Plan& plan = plan_.plan();
    const bool is_active = settings_.estimand == Estimand::kActive;
    if (is_active && plan.heartbeats) {  // from the reports of those who are there
      const Sums there = without_rows(lived.simulated.sums, *lived.presence, plan.num_periods);
      return influence_on(plan, there, plan.num_periods).most;
    }
    if (plan.protocol != Protocol::kInnovation) return influence.most;
    const double newest = honest.devices.back() / std::max(1.0, honest.reports.back());
    std::vector<double> most =
        influence_on_active(plan, plan.num_periods, is_active ? newest : 1, presence_->limits());
    for (std::size_t t = 0; t < most.size() && !is_active; ++t) {
      most[t] *= honest.devices[t] / std::max(1.0, honest.reports[t]);
    }
    return most;
  }

  Result<TrialOutcome> run_with_churn(const Population& population, const Trial& trial) const {
    const Plan& plan = plan_.plan();
    const bool is_active = settings_.estimand == Estimand::kActive;
    if (const auto shown = shows_who_is_active(plan); is_active && !shown) return shown.error();
    const Result<ChurnTrial> lived = run_churn(plan_, population, *trial.churn, trial, presence_);
    if (!lived) return lived.error();
    const Sums& sums = lived->all.simulated.sums;
    Lived found = lived_estimates(lived->all);
    TrialOutcome outcome{{}, lived->all.simulated.clipped_users};
    outcome.alarm =
        is_active
            ? check_estimates(plan, sums, *lived->all.presence, found.estimates, found.devices)
            : enrolled_alarm(plan, sums, presence_of(lived->all), plan.num_periods);
    if (lived->honest) {
      const Lived honest = lived_estimates(*lived->honest);
      for (std::size_t t = 0; t < found.estimates.size(); ++t) {
        outcome.moved.push_back(
            std::abs(found.estimates[t].estimate - honest.estimates[t].estimate));
      }
      outcome.one_moves_at_most = at_most(honest, *lived->honest, lived->influence);
    }
    outcome.cap_bias = cap_bias(presence_of(lived->all), settings_.estimand, settings_.estimator,
                                plan.num_periods, found.devices.back());
    outcome.estimates = std::move(found.estimates);
    return outcome;
  }

  CertifiedPlan plan_;
  ProtocolSettings settings_;
  std::vector<double> variances_;
  std::optional<Presence> presence_;  // before anybody is there
  ProtocolTraits traits_;
};

}  // namespace

Result<std::unique_ptr<SimulatedProtocol>> make_plan_protocol(std::string_view name,
                                                              const ProtocolSettings& settings) {
  Result<Plan> plan = make_plan(*protocol_named(name), settings.num_periods, settings.max_changes,
                                settings.epsilon);
  if (!plan) return plan.error();
  plan->heartbeats = settings.heartbeats;
  if (const Status valid = validate(*plan); !valid) return valid.error();
  Result<CertifiedPlan> certified = CertifiedPlan::create(*std::move(plan));
  if (!certified) return certified.error();
  return std::unique_ptr<SimulatedProtocol>(
      std::make_unique<PlanProtocol>(*std::move(certified), settings));
}

}  // namespace futurerand
