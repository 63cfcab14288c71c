// These test what `pulse` promises of its errors, on simulated devices: unbiased at every period,
// errors as predicted, bands that hold. The seeds are fixed.
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/plan/pulse_design.hpp"
#include "futurerand/simulator/test/innovation_errors.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kPulseUsers = 1500;

InnovationErrors pulse_errors(const Population& population, Period periods, int trials,
                              Engine engine, const char* epsilon) {
  return errors_of(population, periods, 1, trials, engine, epsilon, Initial::kZero,
                   Protocol::kPulse);
}

// Over 700 trials of 64 correlated periods the mean is known to about one percent.
TEST(PulseStatistics, ErrorsAreAsPredictedAndBandsHold) {
  constexpr Period kPeriods = 64;
  for (const char* epsilon : {"2", "4"}) {
    const Plan plan = *make_plan(Protocol::kPulse, kPeriods, 1, *Epsilon::parse(epsilon));
    const double predicted = predict_error(plan, kPulseUsers).rmse;
    const Population population =
        *Population::named("uniform", {kPulseUsers, kPeriods, 1}, kStatisticsKey);
    const InnovationErrors errors =
        pulse_errors(population, kPeriods, 700, Engine::kUsers, epsilon);
    EXPECT_NEAR(errors.rmse / predicted, 1, 0.03) << epsilon;
    EXPECT_NEAR(errors.coverage, 0.95, 0.01) << epsilon;
    EXPECT_LT(errors.worst_bias, 4.5) << epsilon;
  }
}

// All enter in the same period, an early one, or nobody does: the bands know it.
TEST(PulseStatistics, BandsHoldForEveryPopulation) {
  constexpr Period kPeriods = 64;
  for (const Period entry : {1U, 30U, 65U}) {
    std::vector<UserValues> panel;
    for (std::uint64_t user = 0; user < kPulseUsers; ++user) {
      panel.push_back({std::to_string(user), {}});
      if (entry <= kPeriods) panel.back().changes.push_back({entry, true});
    }
    const Population population =
        *Population::from_panel(panel, {kPulseUsers, kPeriods, 1}, kStatisticsKey);
    for (const char* epsilon : {"2", "4"}) {
      const InnovationErrors errors =
          pulse_errors(population, kPeriods, 200, Engine::kSums, epsilon);
      EXPECT_NEAR(errors.coverage, 0.95, 0.02) << entry << " at " << epsilon;
      EXPECT_LT(errors.worst_bias, 4.5) << entry << " at " << epsilon;
      const PulsePrediction prediction(
          pulse_classes(*make_plan(Protocol::kPulse, kPeriods, 1, *Epsilon::parse(epsilon))),
          kPeriods);
      const double worst = std::sqrt(kPulseUsers * prediction.worst_mean_variance());
      EXPECT_LT(errors.rmse, 1.05 * worst) << entry << " at " << epsilon;
    }
  }
}

}  // namespace
}  // namespace futurerand
