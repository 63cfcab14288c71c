#include "futurerand/estimator/estimate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/estimator/measurement.hpp"

namespace futurerand {
namespace {

Plan plan_of(Protocol protocol, Period num_periods, const char* epsilon = "1") {
  return *make_plan(protocol, num_periods, changes_for(protocol, 2), *Epsilon::parse(epsilon),
                    initial_for(protocol));
}

TEST(Estimate, PapersFrameworkIsThePlainDyadicSum) {
  for (const Protocol protocol : {Protocol::kFutureRand, Protocol::kOptimal, Protocol::kWarner,
                                  Protocol::kErlingsson, Protocol::kBun}) {
    for (const Period d : {1U, 6U, 16U}) {
      const Plan plan = plan_of(protocol, d);
      Sums sums(plan);
      for (Order h = 0; h < plan.views.size(); ++h) {
        sums.enrol(h, 1, 0, 100);
        for (IntervalIndex j = 1; j <= num_intervals(d, h); ++j) sums.add(h, j, 2 * h + j, 100);
      }
      const double scale = num_orders(d) / to_double(gap(plan.views[0].law));
      const std::vector<PeriodEstimate> estimates = estimate(plan, sums, EstimatorKind::kTrend, d);
      ASSERT_EQ(estimates.size(), d);
      for (Period t = 1; t <= d; ++t) {
        double sum = 0;
        for (Order h = 0; h < plan.views.size(); ++h) {
          if ((t >> h) & 1U) sum += 2 * h + (t >> h);
        }
        EXPECT_EQ(estimates[t - 1].period, t);
        EXPECT_NEAR(estimates[t - 1].estimate, scale * sum, 1e-9 * scale);
        EXPECT_NEAR(estimates[t - 1].stddev, scale * std::sqrt(100.0 * std::popcount(t)),
                    1e-9 * scale);
      }
    }
  }
}

TEST(Estimate, PapersBound) {
  const Plan plan = plan_of(Protocol::kFutureRand, 16);
  const double c = to_double(gap(plan.views[0].law));
  EXPECT_NEAR(paper_error_bound(plan, 1000, 0.1), 5 / c * std::sqrt(2000 * std::log(320.0)), 1e-6);
}

TEST(Estimate, SnapshotAndRepeatedScaleTheReportsThatCame) {
  for (const Protocol protocol : {Protocol::kSnapshot, Protocol::kRepeated}) {
    const Plan plan = plan_of(protocol, 4, "2");
    const double c = to_double(gap(plan.views[0].law));
    Sums sums(plan);
    sums.enrol(0, 1, 1, 600);
    sums.enrol(0, 3, 3, 400);
    sums.add(0, 1, -30, 200);
    sums.add(0, 3, 50, 250);
    const std::vector<PeriodEstimate> estimates = estimate(plan, sums, EstimatorKind::kOnline, 4);
    EXPECT_NEAR(estimates[0].estimate, 300 * (1 - 30 / (200 * c)), 1e-9);
    EXPECT_NEAR(estimates[2].estimate, 500 * (1 + 50 / (250 * c)), 1e-9);
    // p (1 - p) is corrected for the variance of p, taken at its largest: p = 1/2.
    const double p = (std::min(1.0, estimates[2].estimate / 1000) * 250 + 1) / 252;
    const double mixed = std::min(0.25, p * (1 - p) + (1 / (c * c) - 0.25) / 1000);
    EXPECT_NEAR(estimates[2].stddev, std::sqrt(1e6 / 1000 * (1 / (c * c) - 1 + 4 * mixed * 0.75)),
                1e-9);
    EXPECT_TRUE(std::isnan(estimates[1].estimate));
    EXPECT_TRUE(std::isnan(estimates[1].stddev));
    EXPECT_TRUE(std::isnan(estimates[3].estimate));
  }
}

TEST(Estimate, BeforeAnyoneEnrolsNobodyHoldsOne) {
  for (const Protocol protocol : kProtocols) {
    const Plan plan = plan_of(protocol, 8);
    Sums sums(plan);
    sums.enrol(0, 5, 5 >> plan.views[0].order, 10);
    for (const EstimatorKind kind :
         {EstimatorKind::kOnline, EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
      const std::vector<PeriodEstimate> estimates = estimate(plan, sums, kind, 4);
      ASSERT_EQ(estimates.size(), 4U);
      for (const PeriodEstimate& at : estimates) {
        EXPECT_EQ(at.estimate, 0);
        EXPECT_EQ(at.stddev, 0);
      }
      // A device enrolled, and no report came. A period past the horizon means all up to it.
      const std::vector<PeriodEstimate> all = estimate(plan, sums, kind, 99);
      ASSERT_EQ(all.size(), 8U);
      EXPECT_TRUE(std::isnan(all.back().estimate));
      EXPECT_TRUE(std::isnan(all.back().stddev));
    }
    EXPECT_TRUE(estimate(plan, sums, EstimatorKind::kHindsight, 0).empty());
  }
}

TEST(Estimate, NamesAndAssumptions) {
  for (const EstimatorKind kind :
       {EstimatorKind::kOnline, EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
    EXPECT_EQ(estimator_named(name_of(kind)), kind);
    EXPECT_FALSE(assumption_of(kind).empty());
  }
  EXPECT_EQ(estimator_named("best"), std::nullopt);
  EXPECT_NE(assumption_of(EstimatorKind::kTrend).find("random walk"), std::string_view::npos);
}

TEST(Bands, PointwiseHaveNormalQuantiles) {
  const std::vector<Band> bands = pointwise_bands({{1, 100, 10}, {2, 5, 0}}, 0.95);
  EXPECT_NEAR(bands[0].lower, 100 - 19.59963984540054, 1e-9);
  EXPECT_NEAR(bands[0].upper, 100 + 19.59963984540054, 1e-9);
  EXPECT_EQ(bands[1].lower, 5);
  EXPECT_NEAR(pointwise_bands({{1, 0, 1}}, 1 - 1e-12)[0].upper, 7.1305, 1e-3);
}

TEST(Bands, SimultaneousSpreadTheMissOverThePeriodsThatAreUncertain) {
  const double none = std::nan("");
  std::vector<PeriodEstimate> estimates = {{1, 0, 0}, {2, none, none}};
  for (Period t = 3; t <= 102; ++t) estimates.push_back({t, 0, 1});
  const std::vector<Band> bands = simultaneous_bands(estimates, 0.95);
  // A hundred independent normals are inside with probability exactly 0.95.
  EXPECT_NEAR(std::pow(std::erf(bands[5].upper / std::sqrt(2.0)), 100), 0.95, 1e-9);
  EXPECT_EQ(bands[0].upper, 0);
  EXPECT_TRUE(std::isnan(bands[1].lower));
  EXPECT_TRUE(simultaneous_bands({}, 0.95).empty());
}

TEST(Measurement, CombinesByInverseVariance) {
  const Measurement both = combine({10, 4}, {20, 12});
  EXPECT_DOUBLE_EQ(both.value, 12.5);
  EXPECT_DOUBLE_EQ(both.variance, 3);
  EXPECT_EQ(combine({10, 4}, {}).variance, 4);
  EXPECT_EQ(combine({}, {10, 4}).value, 10);
  EXPECT_EQ(combine({7, 0}, {9, 0}).value, 7);
  EXPECT_EQ(combine({}, {}).variance, kUndetermined);
  EXPECT_EQ((Measurement{1, 2} + Measurement{}).value, 0);
}

}  // namespace
}  // namespace futurerand
