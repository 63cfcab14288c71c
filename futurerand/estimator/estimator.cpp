#include "futurerand/estimator/estimator.hpp"

#include <cassert>

#include "futurerand/estimator/dyadic_sum.hpp"
#include "futurerand/estimator/hybrid_estimator.hpp"
#include "futurerand/estimator/innovation_estimator.hpp"
#include "futurerand/estimator/pulse_estimator.hpp"
#include "futurerand/estimator/value_estimator.hpp"

namespace futurerand {

std::vector<Measurement> Estimator::smooth(const Sums&, EstimatorKind, Period) const {
  assert(false && "all kinds are online");
  return {};
}

std::unique_ptr<Estimator> make_estimator(const Plan& plan) {
  switch (plan.protocol) {
    case Protocol::kInnovation:
      return std::make_unique<InnovationEstimator>(plan);
    case Protocol::kHybrid:
      return std::make_unique<HybridEstimator>(plan);
    case Protocol::kPulse:
      return std::make_unique<PulseEstimator>(plan);
    case Protocol::kSnapshot:
    case Protocol::kRepeated:
    case Protocol::kOnce:
      return std::make_unique<ValueEstimator>(plan);
    default:  // those of the paper's framework
      return std::make_unique<DyadicSumEstimator>(plan);
  }
}

std::vector<PeriodEstimate> run_online(Estimator& estimator, const Sums& sums, Period up_to) {
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  std::vector<PeriodEstimate> estimates;
  estimates.reserve(up_to);
  for (Period t = 1; t <= up_to; ++t) estimates.push_back(estimator.advance(sums, enrolled[t - 1]));
  return estimates;
}

}  // namespace futurerand
