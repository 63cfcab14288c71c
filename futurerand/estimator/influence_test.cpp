#include "futurerand/estimator/influence.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/estimator/estimate.hpp"

namespace futurerand {
namespace {

Plan plan_for_liars(Protocol protocol, Period periods, const char* epsilon = "1") {
  return *make_plan(protocol, periods, 4, *Epsilon::parse(epsilon));
}

// A device that always sends plus says of itself, through the filter, what it is counted as.
TEST(Influence, OfNewsIsWhatAllPlusSays) {
  for (const char* epsilon : {"1", "4"}) {
    const Plan plan = plan_for_liars(Protocol::kInnovation, 64, epsilon);
    const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
    const double kappa = static_cast<double>(levels.front().gap + levels.back().gap);
    std::vector<double> x(64);
    for (std::size_t t = 0; t < 64; ++t) {
      x[t] = (0x1p40 + static_cast<double>(levels.back().gap)) / kappa;
      for (std::size_t j = 1; j < levels.size() && j <= t; ++j) {
        x[t] += static_cast<double>(levels[j - 1].gap - levels[j].gap) / kappa * x[t - j];
      }
    }
    const Influence influence = influence_of_one(plan, 100'000);
    for (std::size_t t = 0; t < 64; ++t) EXPECT_NEAR(influence.most[t], x[t], 1e-4 * x[t]) << t;
  }
}

// One interval of each order, at most, is part of a prefix; each is divided by the gap and
// multiplied by the number of orders.
TEST(Influence, OfDyadicSumsIsOneReport) {
  const Plan plan = plan_for_liars(Protocol::kOptimal, 64);
  const double one = 7 / to_double(gap(plan.views[0].law));
  const Influence influence = influence_of_one(plan, 100'000);
  for (const double most : influence.most) EXPECT_NEAR(most, one, 1e-3 * one);
}

// No view and no start does more, and the one that is named does it.
TEST(Influence, NamesTheWorstView) {
  const Plan plan = plan_for_liars(Protocol::kHybrid, 64);
  const Influence influence = influence_of_one(plan, 100'000);
  ASSERT_LT(influence.view, plan.views.size());
  EXPECT_GT(influence.most.back(), 1);
  EXPECT_EQ(influence.start > 0, plan.views[influence.view].kind == ViewKind::kSnapshot);
  // Twice as many honest devices change nothing: an estimate scales with them.
  const Influence twice = influence_of_one(plan, 200'000);
  for (std::size_t t = 0; t < 64; ++t) {
    EXPECT_NEAR(twice.most[t] / influence.most[t], 1, 0.02) << t;
  }
}

TEST(Influence, IsQuicklyKnownForOrdinaryPlansOnly) {
  EXPECT_TRUE(is_quickly_known(plan_for_liars(Protocol::kInnovation, 1024)));
  EXPECT_TRUE(is_quickly_known(plan_for_liars(Protocol::kHybrid, 256)));
  EXPECT_FALSE(is_quickly_known(plan_for_liars(Protocol::kSnapshot, 4096)));
}

// An interval whose reports are missing in part stands for all of them: missing is not zero.
TEST(DyadicSum, MissingReportsAreNotZero) {
  const Plan plan = plan_for_liars(Protocol::kOptimal, 8);
  const auto estimates_with = [&](std::int64_t sum, std::uint64_t count) {
    Sums sums(plan);
    for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
      sums.enrol(view, 1, 0, 100);
      for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
        sums.add(view, index, sum, count);
      }
    }
    return estimate(plan, sums, EstimatorKind::kOnline, 8);
  };
  const auto all = estimates_with(20, 100), half = estimates_with(10, 50),
             none = estimates_with(0, 0);
  for (std::size_t t = 0; t < 8; ++t) {
    EXPECT_DOUBLE_EQ(half[t].estimate, all[t].estimate);
    EXPECT_NEAR(half[t].stddev / all[t].stddev, std::sqrt(2.0), 1e-12);
    EXPECT_TRUE(std::isnan(none[t].estimate));
  }
}

// A live watcher sees period after period: the band of each is that of the whole horizon.
TEST(Bands, HoldOverTheHorizonAsPeriodsArrive) {
  const std::vector<PeriodEstimate> first = {{1, 0, 1}};
  std::vector<PeriodEstimate> all;
  for (Period t = 1; t <= 64; ++t) all.push_back({t, 0, 1});
  const double live = simultaneous_bands(first, 0.95, 64)[0].upper;
  EXPECT_EQ(live, simultaneous_bands(all, 0.95, 64)[0].upper);
  EXPECT_NEAR(std::pow(std::erf(live / std::sqrt(2.0)), 64), 0.95, 1e-9);
}

}  // namespace
}  // namespace futurerand
