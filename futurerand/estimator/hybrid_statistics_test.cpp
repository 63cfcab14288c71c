// Statistical tests of hybrid on populations of simulated devices. Seeds are fixed. With other
// seeds each bound below would fail with the probability stated beside it.
#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/estimator/test/simulated_population.hpp"

namespace futurerand {
namespace {

Plan hybrid(Period num_periods, const char* epsilon) {
  return *make_plan(Protocol::kHybrid, num_periods, 4, *Epsilon::parse(epsilon));
}

// The mean error of 200 trials exceeds 5 of its standard errors at one of 256 periods: below 2e-4.
// Coverage has a standard error of about 0.003 (errors are correlated over some ten periods): below
// 1e-3. The simultaneous band misses more than 10% of 200 trials: below 2e-3.
void expect_honest(const Plan& plan, const Population& population, double silent = 0) {
  for (const Trials& trials : run_trials(
           plan, population, {EstimatorKind::kOnline, EstimatorKind::kHindsight}, 200, 7, silent)) {
    EXPECT_LT(trials.worst_bias, 5);
    EXPECT_NEAR(trials.rmse, trials.predicted_rmse, 0.05 * trials.rmse);
    EXPECT_GT(trials.coverage, 0.94);
    EXPECT_LT(trials.coverage, 0.96);
    EXPECT_GT(trials.simultaneous, 0.9);
  }
}

constexpr std::size_t kUsers = 20000;

class Honest : public testing::TestWithParam<const char*> {};

TEST_P(Honest, UniformChanges) {
  Random random(1);
  expect_honest(hybrid(256, GetParam()), uniform_population(kUsers, 256, 4, random));
}

TEST_P(Honest, Adoption) {
  Random random(2);
  expect_honest(hybrid(256, GetParam()), adoption_population(kUsers, 256, 0.6, random));
}

TEST_P(Honest, FewHoldOne) {
  expect_honest(hybrid(256, GetParam()), static_population(kUsers, 0.05));
  expect_honest(hybrid(256, GetParam()), static_population(kUsers, 0.002));
}

TEST_P(Honest, DevicesJoinLateAndReportsGetLost) {
  Random random(3);
  expect_honest(hybrid(200, GetParam()), uniform_population(kUsers, 200, 4, random, 150), 0.3);
}

TEST_P(Honest, FewPeriods) {
  Random random(4);
  expect_honest(hybrid(13, GetParam()), uniform_population(kUsers, 13, 2, random));
}

INSTANTIATE_TEST_SUITE_P(Epsilon, Honest, testing::Values("1", "2"));

TEST(Hybrid, MeetsThePredictedError) {
  Random random(5);
  const Plan plan = hybrid(256, "1");
  const Population population = uniform_population(kUsers, 256, 4, random);
  const Trials trials = run_trials(plan, population, {EstimatorKind::kOnline}, 100, 8)[0];
  EXPECT_NEAR(trials.rmse, predict_error(plan, kUsers).rmse, 0.05 * trials.rmse);
}

// Ratios of errors over 10 trials with shared reports vary by about 2%.
TEST(Hybrid, LaterReportsAndATrendLowerTheError) {
  for (const Period d : {256U, 1024U}) {
    Random random(6);
    const Plan plan = hybrid(d, "1");
    const Population uniform = uniform_population(100000, d, 4, random);
    const Population adoption = adoption_population(100000, d, 0.6, random);
    const auto ratio = [&](const Population& population, EstimatorKind kind) {
      const auto trials = run_trials(plan, population, {kind, EstimatorKind::kOnline}, 10, 9);
      return trials[0].rmse / trials[1].rmse;
    };
    EXPECT_LT(ratio(uniform, EstimatorKind::kHindsight), 0.8);
    EXPECT_LT(ratio(adoption, EstimatorKind::kTrend), d == 256 ? 0.5 : 0.4);
  }
}

TEST(Framework, IsHonestToo) {
  for (const Protocol protocol :
       {Protocol::kOptimal, Protocol::kWarner, Protocol::kSnapshot, Protocol::kRepeated}) {
    SCOPED_TRACE(name_of(protocol));
    const Plan plan = *make_plan(protocol, 64, 4, *Epsilon::parse("1"));
    Random random(10);
    const std::size_t users = kUsers / num_signs(plan.views[0].law);  // equally long
    const Population population = uniform_population(users, 64, 4, random);
    // Errors share their longest interval over half of the periods: more trials than above.
    const Trials trials = run_trials(plan, population, {EstimatorKind::kOnline}, 600, 11)[0];
    EXPECT_LT(trials.worst_bias, 5);
    EXPECT_NEAR(trials.rmse, predict_error(plan, static_cast<double>(users)).rmse,
                0.05 * trials.rmse);
    EXPECT_GT(trials.coverage, 0.94);
    EXPECT_LT(trials.coverage, 0.96);
    EXPECT_GT(trials.simultaneous, 0.92);
  }
}

}  // namespace
}  // namespace futurerand
