// These test what `innovation` promises of its errors, on simulated devices: unbiased at every
// period, errors as predicted and nearly alike, bands that hold. The seeds are fixed.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/simulator/engines.hpp"

namespace futurerand {
namespace {

const SimulationKey kStatisticsKey = SimulationKey::from_seed(11);

struct Errors {
  double rmse = 0;
  double coverage = 0;
  double worst_bias = 0;    // of any period, in standard errors
  double worst_period = 0;  // rmse of a period over that of all
};

Errors errors_of(const Population& population, Period d, std::uint32_t k, int trials,
                 Engine engine) {
  const CertifiedPlan plan =
      *CertifiedPlan::create(*make_plan(Protocol::kInnovation, d, k, *Epsilon::parse("1")));
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
  Errors errors;
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

TEST(InnovationStatistics, ErrorsAreAsPredictedAndBandsHold) {
  constexpr Period kPeriods = 64;
  constexpr std::uint32_t kChanges = 4;
  const double predicted =
      predict_error(*make_plan(Protocol::kInnovation, kPeriods, kChanges, *Epsilon::parse("1")), 1)
          .rmse;
  for (const char* name : {"uniform", "adoption", "seasonal", "churn", "static"}) {
    const Population population =
        *Population::named(name, {1500, kPeriods, kChanges}, kStatisticsKey);
    const Errors errors = errors_of(population, kPeriods, kChanges, 400, Engine::kSums);
    // Over 400 trials of 64 correlated periods the mean is known to about two percent.
    EXPECT_NEAR(errors.rmse / (predicted * std::sqrt(1500)), 1, 0.05) << name;
    EXPECT_NEAR(errors.coverage, 0.95, 0.01) << name;
    EXPECT_LT(errors.worst_bias, 4.5) << name;
    // A period's own error is known to 3.5%.
    EXPECT_LT(errors.worst_period, 1.15) << name;
  }
}

// A user makes as many changes as planned, one after the other, at the start, in the middle and at
// the end, so that the stock is used as fast as it can be.
TEST(InnovationStatistics, ChangesInConsecutivePeriodsAreCounted) {
  std::vector<UserValues> panel;
  for (std::uint64_t user = 0; user < 600; ++user) {
    const Period first = user % 3 == 0 ? 1 : user % 3 == 1 ? 20 : 29;
    panel.push_back(
        {user, {{first, true}, {first + 1, false}, {first + 2, true}, {first + 3, false}}});
  }
  const Population population = *Population::from_panel(panel, {600, 32, 4}, kStatisticsKey);
  const Errors errors = errors_of(population, 32, 4, 600, Engine::kUsers);
  EXPECT_LT(errors.worst_bias, 4.5);
  EXPECT_NEAR(errors.coverage, 0.95, 0.01);
}

}  // namespace
}  // namespace futurerand
