// The errors of `innovation`, or another protocol, on simulated devices, for statistical tests.
// Seeds are fixed.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/simulator/engines/engines.hpp"

namespace futurerand {

inline const SimulationKey kStatisticsKey = SimulationKey::from_seed(11);

struct InnovationErrors {
  double rmse = 0;
  double coverage = 0;
  double worst_bias = 0;    // of any period, in standard errors
  double worst_period = 0;  // rmse of a period over the rmse of all
};

inline InnovationErrors errors_of(const Population& population, Period d, std::uint32_t k,
                                  int trials, Engine engine, const char* epsilon = "1",
                                  Initial initial = Initial::kZero,
                                  Protocol protocol = Protocol::kInnovation) {
  const CertifiedPlan plan =
      *CertifiedPlan::create(*make_plan(protocol, d, k, *Epsilon::parse(epsilon), initial));
  const Workers workers(1);
  std::vector<double> truth(d);
  for (std::uint64_t user = 0; user < population.num_users(); ++user) {
    Flips flips;
    population.draw(user, flips);
    for (std::size_t i = 0; i < flips.size(); ++i) {
      for (Period t = flips[i]; t <= d; ++t) truth[t - 1] += i % 2 == 0 ? 1 : -1;
    }
  }
  std::vector<double> sum(d), square(d);
  InnovationErrors errors;
  for (int number = 0; number < trials; ++number) {
    const Trial trial{kStatisticsKey, static_cast<std::uint64_t>(number), engine, workers, {}};
    const SimulatedSums simulated = engine == Engine::kSums ? draw_sums(plan, population, trial)
                                                            : *run_devices(plan, population, trial);
    const auto estimates = estimate(plan.plan(), simulated.sums, EstimatorKind::kOnline, d);
    const auto bands = pointwise_bands(estimates, 0.95);
    for (Period t = 0; t < d; ++t) {
      const double error = estimates[t].estimate - truth[t];
      sum[t] += error;
      square[t] += error * error;
      errors.coverage += bands[t].lower <= truth[t] && truth[t] <= bands[t].upper ? 1 : 0;
    }
  }
  double all = 0;
  for (Period t = 0; t < d; ++t) all += square[t];
  errors.rmse = std::sqrt(all / (d * static_cast<double>(trials)));
  for (Period t = 0; t < d; ++t) {
    errors.worst_bias = std::max(errors.worst_bias, std::abs(sum[t]) / std::sqrt(square[t]));
    errors.worst_period =
        std::max(errors.worst_period, std::sqrt(square[t] / trials) / errors.rmse);
  }
  errors.coverage /= d * static_cast<double>(trials);
  return errors;
}

}  // namespace futurerand
