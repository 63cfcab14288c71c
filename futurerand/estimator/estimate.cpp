#include "futurerand/estimator/estimate.hpp"

#include <algorithm>
#include <cstdlib>

#include "futurerand/estimator/innovation_trend.hpp"
#include "futurerand/estimator/online.hpp"
#include "futurerand/estimator/smoother.hpp"

namespace futurerand {
namespace {

std::vector<PeriodEstimate> online(const Plan& plan, const Sums& sums, Period up_to) {
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  OnlineEstimator estimator(plan);
  std::vector<PeriodEstimate> estimates;
  estimates.reserve(up_to);
  for (Period t = 1; t <= up_to; ++t) {
    estimates.push_back(estimator.advance(sums, enrolled[t - 1]));
  }
  return estimates;
}

std::vector<PeriodEstimate> to_estimates(const std::vector<Measurement>& measurements) {
  std::vector<PeriodEstimate> estimates;
  estimates.reserve(measurements.size());
  for (const Measurement& measurement : measurements) {
    estimates.push_back(to_estimate(static_cast<Period>(estimates.size() + 1), measurement));
  }
  return estimates;
}

}  // namespace

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
      return "none on how the count moves; devices that stay silent do so whatever their value";
    case EstimatorKind::kTrend:
      return "the share of devices that hold 1 moves as a random walk of one step size, fitted to "
             "the reports; sudden jumps are smoothed away; devices that stay silent do so whatever "
             "their value";
  }
  std::abort();
}

bool is_online(Protocol protocol, EstimatorKind kind) {
  if (kind == EstimatorKind::kOnline) return true;
  if (protocol == Protocol::kInnovation) return kind == EstimatorKind::kHindsight;
  return protocol != Protocol::kHybrid;
}

std::vector<PeriodEstimate> estimate(const Plan& plan, const Sums& sums, EstimatorKind kind,
                                     Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  if (is_online(plan.protocol, kind)) return online(plan, sums, up_to);
  if (plan.protocol == Protocol::kInnovation) {
    return to_estimates(innovation_trend(gather_innovation(plan, sums, up_to)));
  }
  const Evidence evidence = gather(plan, sums, up_to);
  return to_estimates(kind == EstimatorKind::kHindsight
                          ? hindsight(evidence)
                          : trend(evidence, fit_step_variance(evidence)));
}

}  // namespace futurerand
