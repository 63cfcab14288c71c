// The project's promised figures, at full size. The seed is fixed.
#include <cmath>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand {
namespace {

constexpr Period kPeriods = 64;
constexpr std::uint32_t kChanges = 4;
constexpr std::uint64_t kUsers = 20'000;

SimulationResult run(std::string_view protocol, std::string_view people, const char* epsilon,
                     EstimatorKind estimator, Engine engine) {
  const SimulationKey key = SimulationKey::from_seed(17);
  const Population population = *Population::named(people, {kUsers, kPeriods, kChanges}, key);
  const auto made = make_simulated_protocol(
      protocol, {kUsers, kPeriods, kChanges, *Epsilon::parse(epsilon), estimator});
  SimulationSettings settings;
  settings.key = key;
  settings.trials = 200;
  settings.engine = engine;
  settings.threads = 2;
  return *simulate(**made, population, true_counts(population, Workers(2)), settings);
}

class EveryReport : public testing::TestWithParam<std::string_view> {};

// This is as in simulation_test.cpp, but with real devices.
TEST_P(EveryReport, MeetsItsPrediction) {
  const SimulationResult result =
      run(GetParam(), "uniform", "1", EstimatorKind::kOnline, Engine::kUsers);
  EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.1);
  for (const SimulatedPeriod& at : result.periods) EXPECT_LT(std::abs(at.bias_z), 4) << at.period;
  EXPECT_GE(result.band_coverage, 0.94);
  EXPECT_LE(result.band_coverage, 0.96);
}

INSTANTIATE_TEST_SUITE_P(AllPlans, EveryReport,
                         testing::Values("hybrid", "optimal", "future_rand", "warner", "erlingsson",
                                         "bun", "snapshot", "repeated"),
                         [](const auto& tested) { return std::string(tested.param); });

// Errors in users from an independent program, at 100,000 users, 256 periods and 4 changes.
class ExSubErrors : public testing::TestWithParam<std::tuple<const char*, double>> {};

TEST_P(ExSubErrors, AreThoseOfAnIndependentProgram) {
  const auto& [epsilon, expected] = GetParam();
  const SimulationKey key = SimulationKey::from_seed(17);
  const Population population = *Population::named("uniform", {100'000, 256, 4}, key);
  const auto made = make_simulated_protocol("exsub", {100'000, 256, 4, *Epsilon::parse(epsilon)});
  SimulationSettings settings;
  settings.key = key;
  settings.trials = 60;
  settings.threads = 2;
  const SimulationResult result =
      *simulate(**made, population, true_counts(population, Workers(2)), settings);
  EXPECT_NEAR(result.rmse / expected, 1, 0.03);
  EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.03);
  EXPECT_GE(result.band_coverage, 0.94);
  EXPECT_LE(result.band_coverage, 0.96);
}

INSTANTIATE_TEST_SUITE_P(Budgets, ExSubErrors,
                         testing::Values(std::tuple{"1", 9615.0}, std::tuple{"2", 4297.0},
                                         std::tuple{"4", 1989.0}));

using Case = std::tuple<std::string_view, const char*, EstimatorKind>;
class Bands : public testing::TestWithParam<Case> {};

TEST_P(Bands, OfHybridHoldTheTruthAsOftenAsTheySay) {
  const auto& [people, epsilon, estimator] = GetParam();
  const SimulationResult result = run("hybrid", people, epsilon, estimator, Engine::kSums);
  EXPECT_GE(result.band_coverage, 0.94);
  EXPECT_LE(result.band_coverage, 0.96);
}

INSTANTIATE_TEST_SUITE_P(
    Everyone, Bands,
    testing::Combine(testing::Values("uniform", "adoption", "seasonal", "churn", "static"),
                     testing::Values("1", "2"),
                     testing::Values(EstimatorKind::kOnline, EstimatorKind::kHindsight)),
    [](const auto& tested) {
      return std::string(std::get<0>(tested.param)) + "_" + std::get<1>(tested.param) + "_" +
             std::string(name_of(std::get<2>(tested.param)));
    });

}  // namespace
}  // namespace futurerand
