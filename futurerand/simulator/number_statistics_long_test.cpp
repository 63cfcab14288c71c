// Numbers over 256 periods: simulated errors are within two percent of the prediction.
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/simulator/test/number_trials.hpp"

namespace futurerand {
namespace {

TEST(NumberStatisticsLong, ErrorsAreWithinTwoPercentAndBandsHold) {
  for (const char* population : {"drift", "uniform", "saturate", "jitter", "static"}) {
    const SimulationResult result =
        simulate_numbers(population, {2000, 256, 3, *Epsilon::parse("1")}, Initial::kUnknown, 400);
    EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.02) << population;
    EXPECT_NEAR(result.band_coverage, 0.95, 0.01) << population;
  }
}

// d = 256, epsilon 1: unknown starts with K changes against zero starts with K + 1.
TEST(NumberStatisticsLong, YesNoWithAnUnknownStartErrsLess) {
  const SimulationKey key = SimulationKey::from_seed(5);
  const auto rmse = [&](std::uint32_t changes, Initial initial) {
    ProtocolSettings settings{2000, 256, changes, *Epsilon::parse("1")};
    settings.initial = initial;
    const Population population = *Population::named("uniform", {2000, 256, changes, initial}, key);
    SimulationSettings simulation;
    simulation.key = key;
    simulation.trials = 400;
    simulation.threads = 2;
    const auto protocol = *make_plan_protocol("innovation", settings);
    return simulate(*protocol, population, true_counts(population, Workers(1)), simulation)->rmse;
  };
  for (const auto& [changes, gain] : {std::pair{1U, 0.14}, {2U, 0.09}, {3U, 0.06}}) {
    const double with_unknown = rmse(changes, Initial::kUnknown);
    EXPECT_NEAR(1 - with_unknown / rmse(changes + 1, Initial::kZero), gain, 0.025) << changes;
  }
}

}  // namespace
}  // namespace futurerand
