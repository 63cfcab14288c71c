// The recursions are compared with dense linear algebra that knows nothing of trees: generalised
// least squares for online and hindsight, the posterior and the likelihood of a Gaussian vector for
// trend.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/law/optimal.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/online.hpp"
#include "futurerand/estimator/smoother.hpp"
#include "futurerand/estimator/test/cholesky.hpp"

namespace futurerand {
namespace {

using test::factorise;
using test::solve;

using Generator = std::mt19937_64;
using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;

// A Row says that x_to - x_from was measured; x_0 = 0.
struct Row {
  Period from, to;
  Real value, variance;
};

// Returns the generalised least squares estimate of x_1..x_last: rows are edges of a graph, and
// exactly what they connect to period 0 is determined.
std::vector<Measurement> least_squares(const std::vector<Row>& rows, Period last) {
  std::vector<Period> root(last + 1);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](Period t) {
    while (root[t] != t) t = root[t];
    return t;
  };
  for (const Row& row : rows) {
    const Period a = find(row.from), b = find(row.to);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::optional<std::size_t>> unknown(last + 1);
  std::size_t size = 0;
  for (Period t = 1; t <= last; ++t) {
    if (find(t) == 0) unknown[t] = size++;
  }
  Matrix information(size, Vector(size));
  Vector pull(size);
  for (const Row& row : rows) {
    if (!unknown[row.to]) continue;
    const std::size_t to = *unknown[row.to];
    information[to][to] += 1 / row.variance;
    pull[to] += row.value / row.variance;
    if (row.from == 0) continue;
    const std::size_t from = *unknown[row.from];
    information[from][from] += 1 / row.variance;
    information[from][to] -= 1 / row.variance;
    information[to][from] -= 1 / row.variance;
    pull[from] -= row.value / row.variance;
  }
  factorise(information);
  const Vector x = solve(information, pull);
  std::vector<Measurement> at(last + 1);
  at[0] = {0, 0};
  for (Period t = 1; t <= last; ++t) {
    if (!unknown[t]) continue;
    Vector unit(size);
    unit[*unknown[t]] = 1;
    at[t] = {static_cast<double>(x[*unknown[t]]),
             static_cast<double>(solve(information, unit)[*unknown[t]])};
  }
  return at;
}

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

// These are the formulas of hybrid.md once more, and the plug-in share by dense solutions.
class DenseHybrid {
 public:
  DenseHybrid(const Plan& plan, const Sums& sums) {
    const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
    online_.emplace_back(Measurement{0, 0});
    for (Period t = 1; t <= plan.num_periods; ++t) {
      const Real n = enrolled[t - 1];
      if (n == 0) {  // exactly 0: joined to period 0 by renaming
        start_ = t;
        online_.emplace_back(Measurement{0, 0});
        continue;
      }
      const View* snapshot = nullptr;
      std::uint32_t snapshot_view = 0;
      for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
        const View& view = plan.views[v];
        if (t % (1U << view.order) != 0) continue;
        if (view.kind == ViewKind::kSnapshot) {
          snapshot = &view, snapshot_view = v;
          continue;
        }
        const IndexSum& at = sums.at(v, t >> view.order);
        if (at.count == 0) continue;
        const Real m = at.count, c = to_double(gap(view.law));
        add(t - (1U << view.order), t, n / m * at.sum / c, n * n / (m * c * c));
      }
      if (snapshot != nullptr && sums.at(snapshot_view, t >> snapshot->order).count > 0) {
        const IndexSum& at = sums.at(snapshot_view, t >> snapshot->order);
        const Real m = at.count, c = to_double(gap(snapshot->law));
        const Real z = n / 2 * (1 + at.sum / (m * c));
        const auto variance = [&](Real x, Real of_x) {
          const Real p = (m * std::clamp<Real>(x / n, 0, 1) + 1) / (m + 2);
          const Real mixed = std::min<Real>(p * (1 - p) + of_x / (n * n), 0.25L);
          return n * n / m * (1 / (c * c) - 1 + 4 * mixed * (1 - m / n)) / 4;
        };
        const std::vector<Row> before = rows_;
        add(0, t, z, variance(z, variance(n / 2, 0)));
        const Measurement together = solution(t);
        rows_ = before;
        add(0, t, z, variance(together.value, together.variance));
      }
      online_.push_back(solution(t));
    }
  }

  const std::vector<Measurement>& online() const { return online_; }

  std::vector<Measurement> hindsight(Period up_to) const {
    std::vector<Row> due;
    for (const Row& row : rows_) {
      if (row.to <= up_to) due.push_back(row);
    }
    std::vector<Measurement> at = least_squares(due, up_to);
    for (Period t = 1; t <= std::min(start_, up_to); ++t) at[t] = {0, 0};
    return at;
  }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  void add(Period from, Period to, Real value, Real variance) {
    rows_.push_back({from <= start_ ? 0 : from, to, value, variance});
  }
  Measurement solution(Period t) const { return least_squares(rows_, t)[t]; }

  std::vector<Row> rows_;
  std::vector<Measurement> online_;  // element t
  Period start_ = 0;                 // the last period without devices
};

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
    OnlineEstimator online(plan);
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
