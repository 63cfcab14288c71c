// DenseHybrid: the estimates of hybrid.md by dense linear algebra that knows nothing of trees, for
// tests to compare the recursions with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/estimator/test/cholesky.hpp"

namespace futurerand::test {

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
inline std::vector<Measurement> least_squares(const std::vector<Row>& rows, Period last) {
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

}  // namespace futurerand::test
