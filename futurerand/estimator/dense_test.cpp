// The recursions are compared with dense linear algebra: generalised least squares for online and
// hindsight, the posterior and the likelihood of a Gaussian vector for trend.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/law/optimal.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/hybrid_estimator.hpp"
#include "futurerand/estimator/smoother.hpp"
#include "futurerand/estimator/test/cholesky.hpp"
#include "futurerand/estimator/test/dense_hybrid.hpp"

namespace futurerand {
namespace {

using test::DenseHybrid;
using test::factorise;
using test::Matrix;
using test::Real;
using test::Row;
using test::solve;
using test::Vector;
using Generator = std::mt19937_64;

// The plan has any orders, with or without snapshots.
Plan random_plan(Period d, Generator& random) {
  Plan plan = *make_plan(Protocol::kHybrid, d, 2, *Epsilon::parse(random() % 2 ? "0.7" : "2.5"));
  const auto law = [&](Order h) { return optimal(std::min(2U, d >> h), plan.epsilon); };
  plan.views.clear();
  const Order orders = static_cast<Order>(random() % (num_orders(d) + 1));
  for (Order h = 0; h < orders; ++h) {
    if (random() % 4) plan.views.push_back({ViewKind::kChanges, h, 1, law(h)});
  }
  const Order lowest = plan.views.empty() ? 0 : plan.views.back().order;
  if (plan.views.empty() || random() % 4) {
    const Order grid = lowest + static_cast<Order>(random() % (num_orders(d) - lowest));
    plan.views.push_back({ViewKind::kSnapshot, grid, 1, optimal(1, plan.epsilon)});
  }
  EXPECT_TRUE(validate(plan));
  return plan;
}

// Devices join at any time; a share of the indices has no reports. Nothing after `last` is due.
Sums random_sums(const Plan& plan, Generator random, Period last) {
  Sums sums(plan);
  const std::uint64_t lost = random() % 3;  // none, some, many
  for (Period t = 1 + static_cast<Period>(random() % 3); t <= plan.num_periods; ++t) {
    if (random() % 3 == 0) sums.enrol(0, t, 1, random() % 1000);
  }
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    for (std::uint32_t j = 1; j <= sums.num_indices(v); ++j) {
      const std::uint64_t most = enrolled[Schedule(plan.views[v], plan.num_periods).due(j) - 1];
      const std::uint64_t count = random() % 4 < lost || most == 0 ? 0 : 1 + random() % most;
      const std::uint64_t plus = count == 0 ? 0 : random() % (count + 1);
      if (Schedule(plan.views[v], plan.num_periods).due(j) > last) continue;
      sums.add(v, j, 2 * static_cast<std::int64_t>(plus) - static_cast<std::int64_t>(count), count);
    }
  }
  return sums;
}

void expect_same(const PeriodEstimate& actual, const Measurement& expected, double unit) {
  if (expected.variance == kUndetermined) {
    EXPECT_TRUE(std::isnan(actual.estimate));
    EXPECT_TRUE(std::isnan(actual.stddev));
    return;
  }
  EXPECT_NEAR(actual.estimate, expected.value, 1e-9 * (unit + std::abs(expected.value)));
  EXPECT_NEAR(actual.stddev, std::sqrt(expected.variance), 1e-9 * (unit + actual.stddev));
}

TEST(Dense, OnlineAndHindsightAreGeneralisedLeastSquares) {
  int undetermined = 0, determined = 0;
  for (Period d = 1; d <= 20; ++d) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      SCOPED_TRACE("d " + std::to_string(d) + " seed " + std::to_string(seed));
      Generator random(1000 * d + seed);
      const Plan plan = random_plan(d, random);
      const Sums sums = random_sums(plan, random, d);
      const double unit = static_cast<double>(sums.enrolled_by_period().back());
      const DenseHybrid dense(plan, sums);
      const std::vector<PeriodEstimate> online = estimate(plan, sums, EstimatorKind::kOnline, d);
      for (Period up_to = 1; up_to <= d; ++up_to) {
        expect_same(online[up_to - 1], dense.online()[up_to], unit);
        const std::vector<Measurement> expected = dense.hindsight(up_to);
        const std::vector<PeriodEstimate> past =
            estimate(plan, sums, EstimatorKind::kHindsight, up_to);
        ASSERT_EQ(past.size(), up_to);
        for (Period t = 1; t <= up_to; ++t) {
          expect_same(past[t - 1], expected[t], unit);
          if (std::isnan(online[t - 1].stddev)) continue;
          EXPECT_LE(past[t - 1].stddev, online[t - 1].stddev + 1e-9 * unit);
        }
        ++(std::isnan(past.back().estimate) ? undetermined : determined);
      }
    }
  }
  EXPECT_GT(undetermined, 1000);
  EXPECT_GT(determined, 3000);
}

TEST(Dense, WhatComesLaterChangesNothingOnlineAndNothingUpToThen) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Generator random(seed);
    const Plan plan = random_plan(19, random);
    const Sums all = random_sums(plan, random, 19);
    const std::vector<std::uint64_t> enrolled = all.enrolled_by_period();
    const std::vector<PeriodEstimate> batch = estimate(plan, all, EstimatorKind::kOnline, 19);
    HybridEstimator online(plan);
    for (Period t = 1; t <= 19; ++t) {
      const Sums so_far = random_sums(plan, random, t);
      const PeriodEstimate next = online.advance(so_far, enrolled[t - 1]);
      expect_same(
          next,
          {batch[t - 1].estimate,
           std::isnan(batch[t - 1].stddev) ? kUndetermined : std::pow(batch[t - 1].stddev, 2)},
          0.01);
      for (const EstimatorKind kind : {EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
        const auto now = estimate(plan, so_far, kind, t), later = estimate(plan, all, kind, t);
        for (Period s = 0; s < t; ++s) {
          EXPECT_EQ(std::isnan(now[s].estimate), std::isnan(later[s].estimate));
          if (std::isnan(now[s].estimate)) continue;
          EXPECT_EQ(now[s].estimate, later[s].estimate);
        }
      }
    }
  }
}

TEST(Dense, TrendIsThePosteriorOfARandomWalkAndItsLikelihoodTheDensityOfTheReports) {
  for (Period d = 1; d <= 20; ++d) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE("d " + std::to_string(d) + " seed " + std::to_string(seed));
      Generator random(1000 * d + seed);
      const Plan plan = random_plan(d, random);
      const Sums sums = random_sums(plan, random, d);
      const DenseHybrid dense(plan, sums);
      const std::vector<Row>& rows = dense.rows();
      if (rows.empty()) continue;
      const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
      const double step = std::exp(-static_cast<double>(random() % 15));

      // This is the prior of x_t = N_t p_t.
      const Period first = static_cast<Period>(
          std::find_if(enrolled.begin(), enrolled.end(), [](auto n) { return n > 0; }) -
          enrolled.begin());
      const auto n = [&](Period t) { return t == 0 ? Real{0} : Real(enrolled[t - 1]); };
      const auto covariance = [&](Period s, Period t) -> Real {
        if (n(s) == 0 || n(t) == 0) return 0;
        return n(s) * n(t) * (Real{1} / 12 + step * (std::min(s, t) - first - 1));
      };
      // The reports' covariance and their deviation from the prior mean come first, then the
      // posterior.
      const std::size_t size = rows.size();
      Matrix all(size, Vector(size));
      Vector deviation(size);
      for (std::size_t i = 0; i < size; ++i) {
        const Row& a = rows[i];
        for (std::size_t j = 0; j < size; ++j) {
          const Row& b = rows[j];
          all[i][j] = covariance(a.to, b.to) - covariance(a.to, b.from) - covariance(a.from, b.to) +
                      covariance(a.from, b.from);
        }
        all[i][i] += a.variance;
        deviation[i] = a.value - (n(a.to) - n(a.from)) / 2;
      }
      factorise(all);
      const Vector weighted = solve(all, deviation);
      Real log_likelihood = -std::log(2 * std::numbers::pi_v<Real>) * size / 2;
      for (std::size_t i = 0; i < size; ++i) {
        log_likelihood -= std::log(all[i][i]) + deviation[i] * weighted[i] / 2;
      }
      const Evidence evidence = gather(plan, sums, d);
      EXPECT_NEAR(trend_log_likelihood(evidence, step), static_cast<double>(log_likelihood),
                  1e-9 * (1 + std::abs(static_cast<double>(log_likelihood))));
      const std::vector<Measurement> smoothed = trend(evidence, step);
      for (Period t = 1; t <= d; ++t) {
        Real mean = n(t) / 2, variance = covariance(t, t);
        Vector with(size);
        for (std::size_t i = 0; i < size; ++i) {
          with[i] = covariance(t, rows[i].to) - covariance(t, rows[i].from);
        }
        const Vector gain = solve(all, with);
        for (std::size_t i = 0; i < size; ++i) {
          mean += with[i] * weighted[i];
          variance -= with[i] * gain[i];
        }
        EXPECT_NEAR(smoothed[t - 1].value, static_cast<double>(mean), 1e-8 * (1 + double(n(t))));
        EXPECT_NEAR(smoothed[t - 1].variance, static_cast<double>(variance),
                    1e-9 * (1 + double(n(t) * n(t))));
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
