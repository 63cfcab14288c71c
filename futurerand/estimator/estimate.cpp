#include "futurerand/estimator/estimate.hpp"

#include <algorithm>
#include <cstdlib>

#include "futurerand/estimator/estimator.hpp"

namespace futurerand {
std::string_view name_of(EstimatorKind kind) {
  switch (kind) {
    case EstimatorKind::kOnline:
      return "online";
    case EstimatorKind::kHindsight:
      return "hindsight";
    case EstimatorKind::kTrend:
      return "trend";
  }
  std::abort();
}

std::optional<EstimatorKind> estimator_named(std::string_view name) {
  for (const EstimatorKind kind :
       {EstimatorKind::kOnline, EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string_view assumption_of(EstimatorKind kind) {
  switch (kind) {
    case EstimatorKind::kOnline:
    case EstimatorKind::kHindsight:
      return "none on how the count moves; devices drop out independently of their value";
    case EstimatorKind::kTrend:
      return "the share of devices that hold 1 moves as a random walk of one step size, fitted to "
             "the reports; sudden jumps are smoothed away; devices drop out independently of "
             "their value";
  }
  std::abort();
}

bool is_online(const Plan& plan, EstimatorKind kind) {
  return kind == EstimatorKind::kOnline || make_estimator(plan)->is_online(kind);
}

std::vector<PeriodEstimate> estimate(const Plan& plan, const Sums& sums, EstimatorKind kind,
                                     Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  const std::unique_ptr<Estimator> estimator = make_estimator(plan);
  if (estimator->is_online(kind)) return run_online(*estimator, sums, up_to);
  std::vector<PeriodEstimate> estimates;
  for (const Measurement& measurement : estimator->smooth(sums, kind, up_to)) {
    estimates.push_back(to_estimate(static_cast<Period>(estimates.size() + 1), measurement));
  }
  return estimates;
}

}  // namespace futurerand
