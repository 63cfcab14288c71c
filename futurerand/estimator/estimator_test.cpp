#include "futurerand/estimator/estimator.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/estimator/expected_sums.hpp"

namespace futurerand {
namespace {

constexpr Period kHorizon = 16;

Plan horizon_plan(Protocol protocol) {
  return *make_plan(protocol, kHorizon, changes_for(protocol, 2), *Epsilon::parse("1"));
}

// A quarter of all devices holds 1 throughout, and sums are what they are on average.
TEST(Estimator, OfEveryProtocolGivesTheCount) {
  for (const Protocol protocol : kProtocols) {
    const Plan plan = horizon_plan(protocol);
    const Sums sums = steady_expected_sums(plan, 0.25);
    const double devices = static_cast<double>(sums.enrolled_by_period().back());
    const std::unique_ptr<Estimator> estimator = make_estimator(plan);
    for (const PeriodEstimate& at : run_online(*estimator, sums, kHorizon)) {
      if (!std::isfinite(at.estimate)) continue;
      EXPECT_NEAR(at.estimate / devices, 0.25, 1e-3) << name_of(protocol) << ' ' << at.period;
    }
  }
}

TEST(Estimator, ACopyGoesOnByItself) {
  for (const Protocol protocol : kProtocols) {
    const Plan plan = horizon_plan(protocol);
    const Sums sums = steady_expected_sums(plan, 0.25), others = steady_expected_sums(plan, 0.75);
    const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
    const std::unique_ptr<Estimator> one = make_estimator(plan), same = make_estimator(plan);
    for (Period t = 1; t <= kHorizon; ++t) {
      const std::unique_ptr<Estimator> copy = one->copy();
      copy->advance(others, enrolled[t - 1]);
      const PeriodEstimate got = one->advance(sums, enrolled[t - 1]);
      const PeriodEstimate expected = same->advance(sums, enrolled[t - 1]);
      EXPECT_EQ(got.period, t);
      if (std::isfinite(expected.estimate)) {
        EXPECT_EQ(got.estimate, expected.estimate) << name_of(protocol);
      }
    }
  }
}

TEST(Estimator, KnowsWhichKindsItHas) {
  for (const Protocol protocol : kProtocols) {
    const std::unique_ptr<Estimator> estimator = make_estimator(horizon_plan(protocol));
    EXPECT_TRUE(estimator->is_online(EstimatorKind::kOnline));
    EXPECT_EQ(estimator->is_online(EstimatorKind::kHindsight), protocol != Protocol::kHybrid);
    const bool has_trend = protocol == Protocol::kHybrid || protocol == Protocol::kInnovation;
    EXPECT_EQ(estimator->is_online(EstimatorKind::kTrend), !has_trend) << name_of(protocol);
  }
}

}  // namespace
}  // namespace futurerand
