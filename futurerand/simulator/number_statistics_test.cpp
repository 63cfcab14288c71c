// Errors of `innovation` for numbers on simulated devices: the sum is unbiased at every period,
// errors are as predicted, and bands hold. The seeds are fixed.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/simulator/plan_protocol.hpp"
#include "futurerand/simulator/simulation.hpp"
#include "futurerand/simulator/test/number_trials.hpp"

namespace futurerand {
namespace {

// Over 400 trials of 48 correlated periods the error is known to about one percent.
void expect_as_predicted(const char* population, Initial initial) {
  const SimulationResult result =
      simulate_numbers(population, {500, 48, 2, *Epsilon::parse("1")}, initial, 400);
  EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.03) << population;
  EXPECT_NEAR(result.band_coverage, 0.95, 0.01) << population;
  EXPECT_EQ(result.clipped_users, 0) << population;
  for (const SimulatedPeriod& at : result.periods) {
    EXPECT_LT(std::abs(at.bias_z), 4.5) << population << ' ' << at.period;
  }
}

TEST(NumberStatistics, ErrorsAreAsPredictedAndBandsHold) {
  for (const char* population : {"drift", "uniform", "saturate", "jitter", "static"}) {
    expect_as_predicted(population, Initial::kUnknown);
  }
}

TEST(NumberStatistics, FromZeroToo) {
  for (const char* population : {"drift", "saturate"}) {
    expect_as_predicted(population, Initial::kZero);
  }
}

// People who move three times as far as planned have the predicted bias.
TEST(NumberStatistics, MovingTooFarBiasesAsForetold) {
  ProtocolSettings settings{2000, 24, 1, *Epsilon::parse("4")};
  settings.initial = Initial::kUnknown;
  settings.coding = *Coding::create(NumberCoding{0, 1, ""});
  const SimulationKey key = SimulationKey::from_seed(31);
  constexpr std::uint32_t kTop = Coding::kFullScale;
  const std::vector<UserValues> panel = {{"1", {{1, 0}, {5, kTop}, {9, 0}, {13, kTop}}}};
  const Population population =
      *Population::from_panel(panel, {2000, 24, 1, Initial::kUnknown, settings.coding}, key);
  const auto protocol = *make_plan_protocol("innovation", settings);
  SimulationSettings trials;
  trials.key = key;
  trials.trials = 60;
  const SimulationResult result =
      *simulate(*protocol, population, true_counts(population, Workers(1)), trials);
  EXPECT_EQ(result.clipped_users, 2000);
  double largest = 0;
  for (const SimulatedPeriod& at : result.periods) {
    const double error = *result.predicted_rmse / std::sqrt(60.0);
    EXPECT_NEAR(at.bias, result.expected_bias[at.period - 1], 5 * error) << at.period;
    largest = std::max(largest, std::abs(at.bias) / error);
  }
  EXPECT_GT(largest, 5);
}

}  // namespace
}  // namespace futurerand
