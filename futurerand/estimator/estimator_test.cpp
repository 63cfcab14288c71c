#include "futurerand/estimator/estimator.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/estimator/expected_sums.hpp"

namespace futurerand {
namespace {

constexpr Period kHorizon = 16;

Plan horizon_plan(Protocol protocol) {
  return *make_plan(protocol, kHorizon, changes_for(protocol, 2), *Epsilon::parse("1"),
                    initial_for(protocol));
}

// A quarter of all devices holds 1 throughout, and each sum is its expectation.
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

// Devices join in three periods. Of the last cohort half never send their answer.
TEST(Estimator, OfOnceCountsAllThatEverEnrolled) {
  const Plan plan = horizon_plan(Protocol::kOnce);
  const double c = to_double(gap(plan.views.front().law));
  struct Cohort {
    Period joined;
    std::uint64_t devices, reported;
    double holding;
  };
  constexpr std::uint64_t kMany = 10'000'000;
  Sums sums(plan);
  for (const Cohort& cohort : {Cohort{2, kMany, kMany, 1}, Cohort{5, 3 * kMany, 3 * kMany, 0},
                               Cohort{9, 4 * kMany, 2 * kMany, 0.25}}) {
    sums.enrol(0, cohort.joined, 0, cohort.devices);
    const auto reports = static_cast<double>(cohort.reported);
    sums.add(0, cohort.joined, std::llround(c * (2 * cohort.holding - 1) * reports),
             cohort.reported);
  }
  EXPECT_EQ(sums.expected_reports(0)[1], kMany);
  EXPECT_EQ(sums.expected_reports(0)[2], 0U);
  const auto estimates = run_online(*make_estimator(plan), sums, kHorizon);
  for (Period t = 1; t <= kHorizon; ++t) {
    // After period 9 the reporting devices stand for all. A quarter of them holds 1.
    const double share = t < 2 ? 0 : t < 5 ? 1 : 0.25;
    const double devices = static_cast<double>(kMany) * (t < 2 ? 0 : t < 5 ? 1 : t < 9 ? 4 : 8);
    EXPECT_NEAR(estimates[t - 1].estimate, share * devices, 2) << t;
    const double reports = t < 9 ? devices : devices * 0.75;
    const double left_out = t < 9 ? 0 : 4 * share * (1 - share) * (1 - reports / devices);
    EXPECT_NEAR(
        estimates[t - 1].stddev,
        devices == 0 ? 0 : devices / 2 / std::sqrt(reports) * std::sqrt(1 / (c * c) - 1 + left_out),
        1)
        << t;
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
