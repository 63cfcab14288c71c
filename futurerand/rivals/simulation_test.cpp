// These test the promises of the whole chain: devices' law, sums, estimates, bands. The seed is
// fixed; each bound says how likely a correct program would miss it with another one.
#include "futurerand/simulator/simulation.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand {
namespace {

class Simulation : public testing::TestWithParam<std::string_view> {
 protected:
  SimulationResult run(std::uint64_t trials, std::uint64_t users, unsigned threads,
                       Engine engine = Engine::kSums) const {
    const SimulationKey key = SimulationKey::from_seed(5);
    const Population population = *Population::named("uniform", {users, 64, 4}, key);
    const auto protocol = make_simulated_protocol(GetParam(), {users, 64, 4, *Epsilon::parse("1")});
    SimulationSettings settings;
    settings.key = key;
    settings.trials = trials;
    settings.engine = engine;
    settings.threads = threads;
    return *simulate(**protocol, population, true_counts(population, Workers(threads)), settings);
  }
};

TEST_P(Simulation, MeetsItsPrediction) {
#ifndef NDEBUG
  GTEST_SKIP() << "a matter of numbers: release builds only";
#endif
  const SimulationResult result = run(200, 5000, 2);
  EXPECT_EQ(result.trials, 200U);
  EXPECT_EQ(result.undetermined, 0);
  EXPECT_EQ(result.clipped_users, 0);
  // The mean of 200 squared errors, alike within a trial, varies by 5% at most.
  EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.1);
  // A normal bias is beyond 4 standard errors in one of 64 periods with probability 0.4%.
  for (const SimulatedPeriod& at : result.periods) EXPECT_LT(std::abs(at.bias_z), 4) << at.period;
  EXPECT_GE(result.band_coverage, 0.94);
  EXPECT_LE(result.band_coverage, 0.96);
}

TEST_P(Simulation, IsTheSameBitForBitWhateverTheNumberOfThreads) {
  for (const Engine engine : {Engine::kUsers, Engine::kSums}) {
    const SimulationResult one = run(2, 5000, 1, engine);
    const SimulationResult three = run(2, 5000, 3, engine);
    EXPECT_EQ(one.rmse, three.rmse);
    EXPECT_EQ(one.max_error, three.max_error);
    for (std::size_t t = 0; t < one.periods.size(); ++t) {
      EXPECT_EQ(one.periods[t].estimate, three.periods[t].estimate);
      EXPECT_EQ(one.periods[t].bias, three.periods[t].bias);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllPlans, Simulation,
                         testing::Values("hybrid", "optimal", "future_rand", "warner", "erlingsson",
                                         "bun", "snapshot", "repeated"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(SimulationCancel, StopsAndSaysSo) {
  const SimulationKey key = SimulationKey::from_seed(5);
  const Population population = *Population::named("static", {100'000, 16, 1}, key);
  const auto protocol = make_simulated_protocol("hybrid", {100'000, 16, 1, *Epsilon::parse("1")});
  std::atomic<bool> cancel{false};
  SimulationSettings settings;
  settings.trials = 1'000'000;
  settings.threads = 2;
  settings.cancel = &cancel;
  double last = 0;
  settings.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
    cancel = true;
  };
  const auto result =
      simulate(**protocol, population, true_counts(population, Workers(1)), settings);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "interrupted");
}

TEST(SimulationRegistry, NamesWhatItKnows) {
  const auto unknown = make_simulated_protocol("magic", {1, 1, 1, *Epsilon::parse("1")});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("expected one of innovation"), std::string::npos);
  EXPECT_FALSE(make_simulated_protocol("future_rand", {1, 8, 2, *Epsilon::parse("2")}));
}

}  // namespace
}  // namespace futurerand
