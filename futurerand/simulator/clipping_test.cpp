#include "futurerand/simulator/clipping.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

constexpr Period kHorizon = 16;
constexpr std::uint32_t kCounted = 2;  // changes counted by the plan

// A user switches in every second period, another in three, a third never.
std::vector<UserValues> restless_panel() {
  UserValues often{"1", {}}, thrice{"2", {{2, true}, {7, false}, {11, true}}};
  for (Period t = 1; t <= kHorizon; t += 2) often.changes.push_back({t, (t / 2) % 2 == 0});
  return {often, thrice, {"3", {}}};
}

Population of_panel(const std::vector<UserValues>& panel, std::uint64_t users) {
  return *Population::from_panel(panel, {users, kHorizon, kCounted}, SimulationKey::from_seed(5));
}

class ClippingOf : public testing::TestWithParam<std::pair<Protocol, const char*>> {};

// The mean error of many simulated fleets, period by period.
TEST_P(ClippingOf, IsTheBiasOfRealDevices) {
  const auto& [protocol, epsilon] = GetParam();
  const Plan plan = *make_plan(protocol, kHorizon, kCounted, *Epsilon::parse(epsilon));
  const auto certified = CertifiedPlan::create(plan);
  ASSERT_TRUE(certified);
  constexpr std::uint64_t kUsers = 3000, kTrials = 60;
  const Population population = of_panel(restless_panel(), kUsers);
  const Workers workers(1);
  const std::vector<double> truth = true_counts(population, workers);
  const SimulationKey key = SimulationKey::from_seed(17);
  std::vector<double> sums(kHorizon), squares(kHorizon);
  for (std::uint64_t number = 0; number < kTrials; ++number) {
    const Trial trial{key, number, Engine::kUsers, workers, {}};
    const auto simulated = run_devices(*certified, population, trial);
    ASSERT_TRUE(simulated);
    for (const PeriodEstimate& at :
         estimate(plan, simulated->sums, EstimatorKind::kOnline, kHorizon)) {
      const double error = at.estimate - truth[at.period - 1];
      sums[at.period - 1] += error;
      squares[at.period - 1] += error * error;
    }
  }
  const auto bias = clipping_bias(plan, population, EstimatorKind::kOnline, workers);
  ASSERT_TRUE(bias);
  double largest = 0;
  for (Period t = 0; t < kHorizon; ++t) {
    const double mean = sums[t] / kTrials;
    const double error = std::sqrt((squares[t] / kTrials - mean * mean) / kTrials);
    EXPECT_NEAR((*bias)[t], mean, 5 * error) << "period " << t + 1;
    largest = std::max(largest, std::abs((*bias)[t]) / error);
  }
  EXPECT_GT(largest, 8);  // it is no mere noise
}

INSTANTIATE_TEST_SUITE_P(Plans, ClippingOf,
                         testing::Values(std::pair(Protocol::kInnovation, "4"),
                                         std::pair(Protocol::kHybrid, "4"),
                                         std::pair(Protocol::kOptimal, "4")));

TEST(Clipping, IsNoneWhereNobodyChangesTooOften) {
  const std::vector<UserValues> calm = {{"1", {{3, true}}}, {"2", {{4, true}, {9, false}}}};
  for (const Protocol protocol : {Protocol::kInnovation, Protocol::kHybrid, Protocol::kOptimal}) {
    const Plan plan = *make_plan(protocol, kHorizon, kCounted, *Epsilon::parse("1"));
    EXPECT_FALSE(clipping_bias(plan, of_panel(calm, 2), EstimatorKind::kOnline, Workers(1)));
  }
}

// By hand: an order reports its first two changes. For the user with switches at 1, 3, 5, ... both
// order 0 and order 1 report on at 1 and off at 3, and nothing else.
TEST(Clipping, IsWhatTheDefinitionSays) {
  const std::vector<UserValues> one = {restless_panel().front()};
  const Plan plan = *make_plan(Protocol::kOptimal, 16, kCounted, *Epsilon::parse("1"));
  const auto bias = clipping_bias(plan, of_panel(one, 1), EstimatorKind::kOnline, Workers(1));
  ASSERT_TRUE(bias);
  EXPECT_NEAR((*bias)[0], 0, 1e-6);   // on, and told so
  EXPECT_NEAR((*bias)[2], 0, 1e-6);   // off at 3: {1,2} and {3}
  EXPECT_NEAR((*bias)[4], -1, 1e-6);  // on again at 5: nobody hears of it
  EXPECT_NEAR((*bias)[6], 0, 1e-6);   // and off at 7, not reported either
}

}  // namespace
}  // namespace futurerand
