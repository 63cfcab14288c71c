#include "futurerand/simulator/plan_protocol.hpp"

#include <cmath>
#include <utility>

#include "futurerand/core/plan/gone.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/self_check.hpp"
#include "futurerand/simulator/device_client.hpp"
#include "futurerand/simulator/engines.hpp"
#include "futurerand/simulator/run_lives.hpp"

namespace futurerand {
namespace {

double bits_per_user(const Plan& plan) {
  double bits = 0;
  for (const View& view : plan.views) {
    const Schedule schedule(view, plan.num_periods);
    const double reports = static_cast<double>(schedule.num_indices) / schedule.stride;
    const double bits_each = schedule.may_be_silent ? std::log2(3.0) : 1;
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

  Result<TrialOutcome> run(const Population& population, const Trial& trial) const override {
    if (trial.lives != nullptr) return run_lived(population, trial);
    const Result<SimulatedSums> simulated = trial.engine == Engine::kUsers
                                                ? run_devices(plan_, population, trial)
                                                : draw_sums(plan_, population, trial);
    if (!simulated) return simulated.error();
    const Plan& plan = plan_.plan();
    return TrialOutcome{estimate(plan, simulated->sums, settings_.estimator, plan.num_periods),
                        simulated->clipped_users,
                        contradicted_by(plan, simulated->sums, plan.num_periods) != 0};
  }

  SequenceLoss sequence_loss() const override {
    return {certify(plan_.plan())->exact_epsilon(),
            "exact, in integers, over all pairs of sequences"};
  }

  Result<ClientRun> client() const override { return device_client(plan_); }

 private:
  Result<TrialOutcome> run_lived(const Population& population, const Trial& trial) const {
    const Plan& plan = plan_.plan();
    const Result<LivedSums> lived = run_lives(plan_, population, *trial.lives, trial);
    if (!lived) return lived.error();
    const Sums& sums = lived->simulated.sums;
    TrialOutcome outcome{{}, lived->simulated.clipped_users};
    if (settings_.estimand == Estimand::kEnrolled) {
      outcome.estimates = estimate(plan, sums, settings_.estimator, plan.num_periods);
      outcome.alarm = contradicted_by(plan, sums, plan.num_periods) != 0;
      return outcome;
    }
    if (!lived->presence) return shows_who_is_active(plan).error();
    const GoneRule rule{plan.num_periods + 1, settings_.gone_after};
    std::vector<double> devices;
    for (const ActiveEstimate& active : estimate_active(plan, sums, *lived->presence, rule,
                                                        settings_.estimator, plan.num_periods)) {
      outcome.estimates.push_back(active.at);
      devices.push_back(static_cast<double>(active.devices));
    }
    outcome.alarm = impossible_by(plan, outcome.estimates, devices) != 0;
    return outcome;
  }

  CertifiedPlan plan_;
  ProtocolSettings settings_;
  std::vector<double> variances_;
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
