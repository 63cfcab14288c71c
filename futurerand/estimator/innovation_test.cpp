#include "futurerand/estimator/innovation.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/innovation_trend.hpp"
#include "futurerand/estimator/predicted.hpp"
#include "futurerand/estimator/test/cholesky.hpp"

namespace futurerand {
namespace {

Plan plan_with_changes(Period periods, std::uint32_t changes = 4) {
  return *make_plan(Protocol::kInnovation, periods, changes, *Epsilon::parse("1"));
}

using InnovationMatrix = std::vector<std::vector<double>>;

// Solves A x = b for a symmetric positive definite A.
std::vector<double> cholesky_solved(InnovationMatrix a, std::vector<double> b) {
  test::factorise(a);
  return test::solve(a, std::move(b));
}

// Returns the filter as a matrix, from the gaps: u = F x - alpha / 2.
InnovationMatrix filter_matrix(const Plan& plan) {
  const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
  const double kappa = static_cast<double>(levels.front().gap + levels.back().gap);
  InnovationMatrix filter(plan.num_periods, std::vector<double>(plan.num_periods));
  for (std::size_t t = 0; t < filter.size(); ++t) {
    filter[t][t] = 1;
    for (std::size_t j = 1; j < levels.size() && j <= t; ++j) {
      filter[t][t - j] = -static_cast<double>(levels[j - 1].gap - levels[j].gap) / kappa;
    }
  }
  return filter;
}

// Returns the inverse of a triangular matrix with 1 on its diagonal, column by column.
InnovationMatrix inverted_triangle(const InnovationMatrix& lower) {
  const std::size_t n = lower.size();
  InnovationMatrix inverse(n, std::vector<double>(n));
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t t = c; t < n; ++t) {
      inverse[t][c] = t == c ? 1 : 0;
      for (std::size_t s = c; s < t; ++s) inverse[t][c] -= lower[t][s] * inverse[s][c];
    }
  }
  return inverse;
}

Sums some_innovation_sums(const Plan& plan, std::mt19937_64& random, bool all_report) {
  Sums sums(plan);
  std::uint64_t enrolled = 0;
  for (Period t = 1; t <= plan.num_periods; ++t) {
    const std::uint64_t joining = t == 1 ? 5000 : random() % 100;
    sums.enrol(0, t, 0, joining);
    enrolled += joining;
    const std::uint64_t count = all_report ? enrolled : enrolled - random() % (enrolled / 2);
    const auto sum = static_cast<std::int64_t>(random() % 801) - 500;
    sums.add(0, t, sum, count);
  }
  return sums;
}

TEST(InnovationEstimate, SolvesTheFilterAndKnowsItsError) {
  std::mt19937_64 random(5);
  for (const Period d : {3U, 20U, 100U}) {
    const Plan plan = plan_with_changes(d, 2);
    const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
    const double kappa = static_cast<double>(levels.front().gap + levels.back().gap) * 0x1p-40;
    const double alpha = 2 * static_cast<double>(levels.back().gap) * 0x1p-40 / kappa;
    const Sums sums = some_innovation_sums(plan, random, false);
    const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
    const InnovationMatrix inverse = inverted_triangle(filter_matrix(plan));
    const auto online = estimate(plan, sums, EstimatorKind::kOnline, d);
    const auto hindsight = estimate(plan, sums, EstimatorKind::kHindsight, d);
    for (std::size_t t = 0; t < d; ++t) {
      double count = 0, variance = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        const IndexSum& reports = sums.at(0, static_cast<std::uint32_t>(s + 1));
        const double n = static_cast<double>(enrolled[s]), m = static_cast<double>(reports.count);
        const double innovation = n / m * static_cast<double>(reports.sum) / kappa + n * alpha / 2;
        count += inverse[t][s] * innovation;
        variance += inverse[t][s] * inverse[t][s] * n * n / (m * kappa * kappa);
      }
      EXPECT_NEAR(online[t].estimate, count, 1e-6 * std::abs(count) + 1e-6);
      EXPECT_NEAR(online[t].stddev, std::sqrt(variance), 1e-9 * std::sqrt(variance));
      EXPECT_EQ(hindsight[t].estimate, online[t].estimate);
      EXPECT_EQ(hindsight[t].stddev, online[t].stddev);
    }
  }
}

// Zero symbols count as reports: they scale with the others. Only nonzero symbols add noise.
TEST(InnovationEstimate, OfAQuietPlanTheNoiseIsWhatSpoke) {
  const Plan plan = *make_plan(Protocol::kInnovation, 40, 1, *Epsilon::parse("4"));
  const auto& law = std::get<WeightedThresholdLaw>(plan.views[0].law);
  ASSERT_TRUE(law.may_be_zero());
  const double kappa =
      static_cast<double>(law.levels.front().gap + law.levels.back().gap) * 0x1p-40;
  Sums sums(plan);
  sums.enrol(0, 1, 0, 1000);
  for (Period t = 1; t <= 40; ++t) sums.add(0, t, IndexSum{-12, 800, t == 7 ? 0U : 200U});
  const InnovationMatrix inverse = inverted_triangle(filter_matrix(plan));
  const auto online = estimate(plan, sums, EstimatorKind::kOnline, 40);
  double least = 0;
  for (std::size_t t = 0; t < 40; ++t) {
    double count = 0, variance = 0;
    for (std::size_t s = 0; s <= t; ++s) {
      const double innovation =
          1.25 * -12 / kappa + 1000 * static_cast<double>(law.levels.back().gap) * 0x1p-40 / kappa;
      count += inverse[t][s] * innovation;
      // Without nonzero symbols the variance is that of a law without information.
      const double spoken = s == 6 ? 800 * (law.nonzero / 65'536.0) : 200;
      variance += inverse[t][s] * inverse[t][s] * 1.25 * 1.25 * spoken / (kappa * kappa);
    }
    EXPECT_NEAR(online[t].estimate, count, 1e-6 * std::abs(count) + 1e-6);
    EXPECT_NEAR(online[t].stddev, std::sqrt(variance), 1e-9 * std::sqrt(variance));
    least = least == 0 ? variance : std::min(least, variance);
  }
  EXPECT_GT(least, 0);
}

TEST(InnovationEstimate, APeriodWithoutReportsIsUndeterminedAndTheNextIsNot) {
  const Plan plan = plan_with_changes(16);
  Sums sums(plan);
  sums.enrol(0, 2, 0, 100);
  for (Period t = 2; t <= 16; ++t) {
    if (t != 9) sums.add(0, t, 20, 100);
  }
  for (const EstimatorKind kind : {EstimatorKind::kOnline, EstimatorKind::kHindsight}) {
    const auto estimates = estimate(plan, sums, kind, 16);
    EXPECT_EQ(estimates[0].estimate, 0);
    EXPECT_EQ(estimates[0].stddev, 0);
    for (std::size_t t = 1; t < 16; ++t) EXPECT_EQ(std::isnan(estimates[t].estimate), t == 8) << t;
  }
  // Trend has an assumption to fill the hole with.
  const auto trend = estimate(plan, sums, EstimatorKind::kTrend, 16);
  EXPECT_FALSE(std::isnan(trend[8].estimate));
}

TEST(InnovationTrend, ExponentialsStandForTheResponse) {
  for (const auto& [d, k] : {std::pair{8U, 2U}, {64U, 1U}, {256U, 4U}, {1024U, 4U}, {1024U, 64U}}) {
    const auto law = std::get<WeightedThresholdLaw>(plan_with_changes(d, k).views[0].law);
    const std::vector<double> r = InnovationFilter(law).response(d);
    const std::vector<Exponential> sum = exponentials_of(r);
    double variance = 0;
    for (const double value : r) variance += value * value;
    // The correlation of errors is a sum of products.
    for (const std::size_t lag : {0U, 1U, 5U, 50U}) {
      double exact = 0, other = 0;
      const auto at = [&](std::size_t j) {
        double value = 0;
        for (const Exponential& part : sum) {
          value += part.weight * std::pow(part.decay, static_cast<double>(j));
        }
        return value;
      };
      for (std::size_t j = 0; j + lag < d; ++j) {
        exact += r[j] * r[j + lag];
        other += at(j) * at(j + lag);
      }
      EXPECT_NEAR(other, exact, 0.05 * variance) << d << " " << k << " " << lag;
    }
  }
}

// The textbook has a normal prior over all shares at once and the errors' exact covariance.
TEST(InnovationTrend, IsTheBestLinearEstimate) {
  std::mt19937_64 random(6);
  for (const Period d : {5U, 30U, 120U}) {
    const Plan plan = plan_with_changes(d, 2);
    const Sums sums = some_innovation_sums(plan, random, true);
    const InnovationEvidence evidence = gather_innovation(plan, sums, d);
    const InnovationMatrix inverse = inverted_triangle(filter_matrix(plan));
    for (const double step : {1e-6, 1e-4, 1e-2}) {
      InnovationMatrix errors(d, std::vector<double>(d)), prior = errors, total = errors;
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
          for (std::size_t s = 0; s <= std::min(i, j); ++s) {
            errors[i][j] += inverse[i][s] * inverse[j][s] * evidence.innovation_variances[s];
          }
          prior[i][j] = evidence.enrolled[i] * evidence.enrolled[j] *
                        (1.0 / 12 + step * static_cast<double>(std::min(i, j)));
          total[i][j] = errors[i][j] + prior[i][j];
        }
      }
      std::vector<double> off(d);
      for (std::size_t t = 0; t < d; ++t) off[t] = evidence.counts[t] - evidence.enrolled[t] / 2;
      const std::vector<double> weights = cholesky_solved(total, off);
      const std::vector<Measurement> trend = innovation_trend(evidence, step);
      for (std::size_t t = 0; t < d; t += 1 + d / 10) {
        double count = evidence.enrolled[t] / 2, variance = prior[t][t];
        for (std::size_t s = 0; s < d; ++s) count += prior[t][s] * weights[s];
        const std::vector<double> told = cholesky_solved(total, prior[t]);
        for (std::size_t s = 0; s < d; ++s) variance -= prior[t][s] * told[s];
        // They agree within a few hundredths of its own uncertainty, because exponentials are not r
        // exactly.
        EXPECT_NEAR(trend[t].value, count, 0.08 * std::sqrt(variance)) << d << " " << step;
        EXPECT_NEAR(std::sqrt(trend[t].variance / variance), 1, 0.03) << d << " " << step;
      }
    }
  }
}

TEST(Predicted, HindsightOfHybridIsBetterAndTrendIsBest) {
  for (const Protocol protocol : {Protocol::kHybrid, Protocol::kInnovation}) {
    const Plan plan = *make_plan(protocol, 64, 4, *Epsilon::parse("1"));
    const auto mean = [&](EstimatorKind kind, double drift) {
      double sum = 0;
      for (const double v : predicted_variances(plan, kind, 1e5, drift)) sum += v;
      return sum;
    };
    const double online = mean(EstimatorKind::kOnline, 0.01);
    const double hindsight = mean(EstimatorKind::kHindsight, 0.01);
    EXPECT_EQ(hindsight < 0.95 * online, protocol == Protocol::kHybrid);
    EXPECT_LT(mean(EstimatorKind::kTrend, 0.01), hindsight);
    // The slower the count moves, the more its neighbours tell.
    EXPECT_LT(mean(EstimatorKind::kTrend, 0.001), 0.5 * mean(EstimatorKind::kTrend, 0.01));
  }
}

}  // namespace
}  // namespace futurerand
