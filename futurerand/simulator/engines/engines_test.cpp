#include "futurerand/simulator/engines/engines.hpp"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

const SimulationKey kKey = SimulationKey::from_seed(3);

// Makes a plan with the largest of these budgets in the protocol's range: much signal, little
// noise.
CertifiedPlan plan_of(Protocol protocol, Period periods, std::uint32_t changes) {
  changes = changes_for(protocol, changes);
  Result<Plan> plan =
      make_plan(protocol, periods, changes, *Epsilon::parse("4"), initial_for(protocol));
  if (!plan)
    plan = make_plan(protocol, periods, changes, *Epsilon::parse("1"), initial_for(protocol));
  return *CertifiedPlan::create(*plan);
}

SimulatedSums run(const CertifiedPlan& plan, const Population& population, Engine engine,
                  std::uint64_t number, unsigned threads) {
  const Workers workers(threads);
  const Trial trial{kKey, number, engine, workers, {}};
  return engine == Engine::kUsers ? *run_devices(plan, population, trial)
                                  : draw_sums(plan, population, trial);
}

// These are means and covariances, over trials, of all sums of a plan and of its numbers of
// devices.
struct Moments {
  std::vector<double> mean;
  std::vector<double> second;  // means of products, row by row

  void add(const std::vector<double>& x) {
    mean.resize(x.size());
    second.resize(x.size() * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      mean[i] += x[i];
      for (std::size_t j = 0; j < x.size(); ++j) second[i * x.size() + j] += x[i] * x[j];
    }
  }
  void divide(double trials) {
    for (double& m : mean) m /= trials;
    for (double& s : second) s /= trials;
  }
  double covariance(std::size_t i, std::size_t j) const {
    return second[i * mean.size() + j] - mean[i] * mean[j];
  }
};

std::vector<double> numbers_of(const SimulatedSums& simulated) {
  std::vector<double> numbers;
  for (std::uint32_t v = 0; v < simulated.sums.num_views(); ++v) {
    for (std::uint32_t j = 1; j <= simulated.sums.num_indices(v); ++j) {
      numbers.push_back(static_cast<double>(simulated.sums.at(v, j).sum));
      numbers.push_back(static_cast<double>(simulated.sums.at(v, j).count));
    }
  }
  numbers.push_back(static_cast<double>(simulated.clipped_users));
  return numbers;
}

constexpr int kTrials = 4000;

Moments moments_of(const CertifiedPlan& plan, const Population& population, Engine engine) {
  Moments moments;
  for (int number = 0; number < kTrials; ++number) {
    // Each engine has other trials, so the samples are independent.
    const std::uint64_t offset = engine == Engine::kUsers ? 0 : kTrials;
    moments.add(
        numbers_of(run(plan, population, engine, offset + static_cast<std::uint64_t>(number), 1)));
  }
  moments.divide(kTrials);
  return moments;
}

class Engines : public testing::TestWithParam<Protocol> {
 protected:
  // Users make up to four changes; two are allowed. So some are clipped.
  static Population some_people() {
    std::vector<UserValues> panel;
    for (std::uint64_t copy = 0; copy < 4; ++copy) {
      panel.push_back({std::to_string(10 * copy), {{1, true}, {2, false}, {3, true}, {7, false}}});
      panel.push_back({std::to_string(10 * copy + 1), {{4, true}}});
      panel.push_back({std::to_string(10 * copy + 2), {{2, true}, {5, false}, {6, true}}});
      panel.push_back({std::to_string(10 * copy + 3), {{1, true}, {8, false}}});
      panel.push_back({std::to_string(10 * copy + 4), {{3, true}, {4, false}}});
    }
    return *Population::from_panel(panel, {panel.size(), 9, 2}, kKey);
  }
};

// All means and covariances of the two engines agree: each difference is within 5.5 standard
// errors. There are at most 33 numbers, so 33 + 561 differences a protocol: by the normal
// approximation a false alarm has probability 2e-4 over all protocols; the seed is fixed.
TEST_P(Engines, HaveTheSameDistribution) {
#ifndef NDEBUG
  GTEST_SKIP() << "a matter of numbers: release builds only";
#endif
  const CertifiedPlan plan = plan_of(GetParam(), 9, 2);
  const Population population = some_people();
  const Moments users = moments_of(plan, population, Engine::kUsers);
  const Moments sums = moments_of(plan, population, Engine::kSums);
  ASSERT_EQ(users.mean.size(), sums.mean.size());
  for (std::size_t i = 0; i < users.mean.size(); ++i) {
    EXPECT_NEAR(users.mean[i], sums.mean[i],
                5.5 * std::sqrt((users.covariance(i, i) + sums.covariance(i, i)) / kTrials) + 1e-9)
        << i;
    for (std::size_t j = 0; j <= i; ++j) {
      // A product of two roughly normal numbers varies by at most sqrt(2) times its scale.
      const double scale = std::sqrt(users.covariance(i, i) * users.covariance(j, j));
      EXPECT_NEAR(users.covariance(i, j), sums.covariance(i, j),
                  5.5 * 2 * scale / std::sqrt(kTrials) + 1e-9)
          << i << " " << j;
    }
  }
}

TEST_P(Engines, DoNotDependOnTheNumberOfThreads) {
  const CertifiedPlan plan = plan_of(GetParam(), 40, 4);
  const Population population = *Population::named("churn", {9000, 40, 4}, kKey);
  for (const Engine engine : {Engine::kUsers, Engine::kSums}) {
    const SimulatedSums one = run(plan, population, engine, 0, 1);
    for (const unsigned threads : {2U, 5U}) {
      const SimulatedSums several = run(plan, population, engine, 0, threads);
      EXPECT_EQ(several.sums, one.sums);
      EXPECT_EQ(several.clipped_users, one.clipped_users);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllPlans, Engines, testing::ValuesIn(kProtocols),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

// Alg. 1 gives one sum the mean q c S_j. S_j is the sum of the users' changes, and q the share of
// the view. Each user adds q - (q c s)^2 to the variance.
TEST(SumsEngine, HasTheExactMomentsOfTheProtocol) {
  const CertifiedPlan plan = plan_of(Protocol::kOptimal, 8, 4);
  const Population population = *Population::named("uniform", {50, 8, 4}, kKey);
  const Moments moments = moments_of(plan, population, Engine::kSums);
  const double q = 1.0 / static_cast<double>(plan.plan().views.size());
  std::size_t number = 0;
  for (const View& view : plan.plan().views) {
    const double c = to_double(gap(view.law));
    const std::uint32_t indices = view.num_indices(8);
    std::vector<double> changes(indices);
    std::vector<double> squares(indices);
    Flips flips;
    for (std::uint64_t user = 0; user < 50; ++user) {
      population.draw(user, flips);
      for_each_nonzero_sum(flips, view.order, indices, [&](IntervalIndex j, int sum) {
        changes[j - 1] += sum;
        squares[j - 1] += 1;
      });
    }
    for (std::uint32_t j = 0; j < indices; ++j, number += 2) {
      const double variance = 50 * q - q * q * c * c * squares[j];
      // There are thirty numbers, each beyond 5.5 standard errors with probability 4e-8.
      EXPECT_NEAR(moments.mean[number], q * c * changes[j], 5.5 * std::sqrt(variance / kTrials));
      EXPECT_NEAR(moments.covariance(number, number), variance,
                  5.5 * variance * std::sqrt(2.0 / kTrials));
    }
  }
}

TEST(UsersEngine, FailsWhenEntropyFails) {
  class Nothing final : public RandomSource {
    bool fill(std::span<std::uint64_t>) override { return false; }
  };
  const CertifiedPlan plan = plan_of(Protocol::kHybrid, 16, 2);
  const Population population = *Population::named("static", {10, 16, 2}, kKey);
  const Workers workers(2);
  const Trial trial{kKey, 0, Engine::kUsers, workers, [] { return std::make_unique<Nothing>(); }};
  EXPECT_FALSE(run_devices(plan, population, trial));
}

}  // namespace
}  // namespace futurerand
