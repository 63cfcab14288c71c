// The worst populations of `pulse` over many periods. Seeds are fixed.
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/simulator/test/pulse_errors.hpp"

namespace futurerand {
namespace {

// 400 trials of correlated periods know an error to two percent or so, and 150 to three.
TEST(PulseStatisticsLong, TheWorstPopulationErrsAsPredictedAndLessThanWithInnovation) {
  for (const auto& [periods, trials] :
       {std::pair{Period{256}, 400}, std::pair{Period{1024}, 150}}) {
    for (const char* epsilon : {"2", "4"}) {
      const PulsePrediction::WorstPopulation worst =
          pulse_prediction(periods, epsilon).worst_population();
      const double root = std::sqrt(kPulseUsers);
      const InnovationErrors errors =
          pulse_errors(entering(worst.entered, periods), periods, trials, Engine::kSums, epsilon);
      EXPECT_NEAR(errors.rmse / root / std::sqrt(worst.mean_variance), 1,
                  periods > 256 ? 0.06 : 0.04)
          << periods << " " << epsilon;
      const Plan innovation =
          *make_plan(Protocol::kInnovation, periods, 1, *Epsilon::parse(epsilon));
      EXPECT_LT(errors.rmse / root, predict_error(innovation, 1).rmse) << periods << " " << epsilon;
      EXPECT_NEAR(errors.coverage, 0.95, 0.01) << periods << " " << epsilon;
    }
  }
}

}  // namespace
}  // namespace futurerand
