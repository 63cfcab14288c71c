// Errors of `pulse` on simulated devices: unbiased at every period, errors as predicted, valid
// bands. The seeds are fixed.
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/simulator/test/pulse_errors.hpp"

namespace futurerand {
namespace {

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
  for (const char* epsilon : {"2", "4"}) {
    const double bound = pulse_prediction(kPeriods, epsilon).worst_population().bound;
    for (const Period entry : {1U, 30U, 65U}) {
      const InnovationErrors errors = pulse_errors(entering(all_in(entry, kPeriods), kPeriods),
                                                   kPeriods, 200, Engine::kSums, epsilon);
      EXPECT_NEAR(errors.coverage, 0.95, 0.02) << entry << " at " << epsilon;
      EXPECT_LT(errors.worst_bias, 4.5) << entry << " at " << epsilon;
      EXPECT_LT(errors.rmse, 1.03 * std::sqrt(kPulseUsers * bound)) << entry << " at " << epsilon;
    }
  }
}

// The error of the worst population is the predicted one.
TEST(PulseStatistics, TheWorstPopulationErrsAsPredicted) {
  constexpr Period kPeriods = 64;
  for (const char* epsilon : {"2", "4"}) {
    const PulsePrediction::WorstPopulation worst =
        pulse_prediction(kPeriods, epsilon).worst_population();
    const InnovationErrors errors =
        pulse_errors(entering(worst.entered, kPeriods), kPeriods, 600, Engine::kSums, epsilon);
    EXPECT_NEAR(errors.rmse / std::sqrt(kPulseUsers * worst.mean_variance), 1, 0.03) << epsilon;
    EXPECT_NEAR(errors.coverage, 0.95, 0.01) << epsilon;
    EXPECT_LT(errors.worst_bias, 4.5) << epsilon;
  }
}

}  // namespace
}  // namespace futurerand
