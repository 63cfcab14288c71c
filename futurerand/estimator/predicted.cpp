#include "futurerand/estimator/predicted.hpp"

#include "futurerand/core/plan/hybrid_design.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/estimator/innovation.hpp"
#include "futurerand/estimator/innovation_trend.hpp"
#include "futurerand/estimator/smoother.hpp"

namespace futurerand {
namespace {

// Returns the expected evidence of a hybrid plan without values. No variance depends on the values.
Evidence evidence_of(const Plan& plan, double users) {
  const HybridVariances variances = hybrid_variances(plan);
  const Order grid = static_cast<Order>(variances.node.size()) - 1;
  Evidence evidence;
  evidence.enrolled.assign(plan.num_periods + std::size_t{1}, users);
  evidence.enrolled[0] = 0;
  evidence.snapshots.resize(plan.num_periods + std::size_t{1});
  for (Period t = 1; t <= plan.num_periods; ++t) {
    if ((t >> grid) << grid == t) evidence.snapshots[t] = {users / 2, users * variances.snapshot};
  }
  for (Order h = 0; h <= grid; ++h) {
    evidence.changes.emplace_back(num_intervals(plan.num_periods, h),
                                  Measurement{0, users * variances.node[h]});
  }
  return evidence;
}

InnovationEvidence innovation_evidence_of(const Plan& plan, double users) {
  const auto& law = std::get<WeightedThresholdLaw>(plan.views.front().law);
  const InnovationFilter filter(law);
  const double innovation_variance = users * law.mean_square(0) / (filter.kappa * filter.kappa);
  const std::size_t periods = plan.num_periods;
  return {std::vector<double>(periods, users), std::vector<double>(periods, users / 2),
          std::vector<double>(periods, innovation_variance), std::vector<bool>(periods, true),
          filter.response(plan.num_periods)};
}

}  // namespace

std::vector<double> predicted_variances(const Plan& plan, EstimatorKind kind, double num_users,
                                        double drift) {
  if (is_online(plan, kind)) {
    std::vector<double> variances = predicted_variances(plan);
    for (double& variance : variances) variance *= num_users;
    return variances;
  }
  const double step_variance = drift * drift;
  std::vector<Measurement> smoothed;
  if (plan.protocol == Protocol::kInnovation) {
    smoothed = innovation_trend(innovation_evidence_of(plan, num_users), step_variance);
  } else {
    const Evidence evidence = evidence_of(plan, num_users);
    smoothed =
        kind == EstimatorKind::kHindsight ? hindsight(evidence) : trend(evidence, step_variance);
  }
  std::vector<double> variances;
  variances.reserve(smoothed.size());
  for (const Measurement& at : smoothed) variances.push_back(at.variance);
  return variances;
}

}  // namespace futurerand
