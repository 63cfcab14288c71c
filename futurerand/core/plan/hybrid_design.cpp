#include "futurerand/core/plan/hybrid_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/sparse.hpp"
#include "futurerand/core/plan/schedule.hpp"

namespace futurerand {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallestShare = 0.001;
constexpr std::uint64_t kTotalWeight = std::uint64_t{1} << 32;

double square(double x) { return x * x; }

// Returns how many of 1..last have bit h set.
std::uint32_t positions_with_bit(Order h, std::uint32_t last) {
  const std::uint32_t half = 1U << h;
  const std::uint32_t rest = (last + 1) % (2 * half);
  return (last + 1) / (2 * half) * half + (rest > half ? rest - half : 0);
}

// This is the mean over the periods of the variance of the online estimate, over the number of
// users, as a function of the shares: orders 0..g, then snapshots. It is homogeneous of degree -1
// and convex (each period's best linear unbiased variance is, in the information of each view).
class MeanVariance {
 public:
  // Noises are variances of one report over one device: mean square / gap^2.
  MeanVariance(Period num_periods, Order grid, std::vector<double> noises, double snapshot_noise)
      : num_periods_(num_periods),
        grid_(grid),
        noises_(std::move(noises)),
        snapshot_noise_(snapshot_noise) {}

  std::size_t num_shares() const { return noises_.size() + 1; }

  // Also writes share_i * -(df / dshare_i): by Euler's identity these sum to f.
  double evaluate(const std::vector<double>& shares, std::vector<double>& pull) const {
    const std::uint32_t blocks = num_periods_ >> grid_;
    std::vector<double> v(grid_ + 1), combined(grid_ + 1);
    for (Order h = 0; h <= grid_; ++h) {
      v[h] = noises_[h] / shares[h];
      combined[h] = h == 0 ? v[h] : 1 / (1 / v[h] + 1 / (2 * combined[h - 1]));
    }
    const double s = snapshot_noise_ / shares.back();

    const double step = combined[grid_];
    const double inside =
        std::ldexp(1.0, static_cast<int>(grid_)) - 1;  // periods between grid points
    const std::uint32_t tail = num_periods_ - (blocks << grid_);
    double sum = 0, sum_by_step = 0, sum_by_s = 0;
    double p = 0, p_by_step = 0, p_by_s = 0;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      sum += inside * p;
      sum_by_step += inside * p_by_step;
      sum_by_s += inside * p_by_s;
      const double before = p + step;
      const double kept = square(s / (before + s));
      const double next = before * s / (before + s);
      const double next_by_step = kept * (p_by_step + 1);
      const double next_by_s = kept * p_by_s + square(before / (before + s));
      const bool settled = std::abs(next - p) < 1e-9 * next;
      p = next, p_by_step = next_by_step, p_by_s = next_by_s;
      const double times = settled ? blocks - block : 1;
      sum += p + (times - 1) * (inside + 1) * p;
      sum_by_step += p_by_step + (times - 1) * (inside + 1) * p_by_step;
      sum_by_s += p_by_s + (times - 1) * (inside + 1) * p_by_s;
      if (settled) break;
    }
    sum += tail * p;
    sum_by_step += tail * p_by_step;
    sum_by_s += tail * p_by_s;

    // A prefix inside a block has one node of order h for each bit h of its position.
    std::vector<double> by_combined(grid_ + 1, 0.0);
    for (Order h = 0; h < grid_; ++h) {
      const double times =
          blocks * std::ldexp(0.5, static_cast<int>(grid_)) + positions_with_bit(h, tail);
      sum += times * combined[h];
      by_combined[h] += times;
    }
    by_combined[grid_] += sum_by_step;

    pull.assign(num_shares(), 0.0);
    pull.back() = sum_by_s * s / num_periods_;
    for (Order h = grid_ + 1; h-- > 0;) {
      const double by_v = by_combined[h] * (h == 0 ? 1.0 : square(combined[h] / v[h]));
      if (h > 0) by_combined[h - 1] += by_combined[h] * square(combined[h] / combined[h - 1]) / 2;
      pull[h] = by_v * v[h] / num_periods_;
    }
    return sum / num_periods_;
  }

 private:
  Period num_periods_;
  Order grid_;
  std::vector<double> noises_;
  double snapshot_noise_;
};

struct Design {
  Order grid;
  std::vector<double> shares;
  double mean_variance;
};

// Multiplicative updates with exponent 1/2, the classical algorithm for designs of this kind: f
// never rises, and shares stay positive and sum to one.
void refine(const MeanVariance& f, Design& design, int rounds) {
  std::vector<double> pull;
  for (int round = 0; round < rounds; ++round) {
    design.mean_variance = f.evaluate(design.shares, pull);
    double total = 0;
    for (std::size_t i = 0; i < pull.size(); ++i) {
      // A share of nothing would make infinite variances; far below kSmallestShare is enough.
      design.shares[i] = std::max(std::sqrt(design.shares[i] * std::max(pull[i], 0.0)), 1e-12);
      total += design.shares[i];
    }
    for (double& share : design.shares) share /= total;
  }
  design.mean_variance = f.evaluate(design.shares, pull);
}

struct ReportLaw {
  Law law;
  double noise;
};

// Each order has the law with k_h = min(k, L_h), since a user changes at most once an interval.
std::vector<ReportLaw> order_laws(Period num_periods, std::uint32_t max_changes, Epsilon epsilon) {
  std::vector<ReportLaw> laws;
  for (Order h = 0; h < num_orders(num_periods); ++h) {
    const std::uint32_t signs = std::min(max_changes, num_intervals(num_periods, h));
    const double changed_share = static_cast<double>(signs) / num_intervals(num_periods, h);
    const Law law = quietest(signs, epsilon, changed_share);
    laws.push_back({law, mean_square(law, changed_share) / square(to_double(gap(law)))});
  }
  return laws;
}

// One device may report several of its values, m of them under the optimal law of m signs: each
// snapshot then has more devices, which for epsilon above 1.3 outweighs the smaller gap. A value
// as -1/+1 instead of a change in -1/0/1 has a quarter of the variance.
class SnapshotLaws {
 public:
  explicit SnapshotLaws(Epsilon epsilon) {
    for (std::uint32_t m = 1; m <= kMostSnapshots; ++m) {
      laws_.push_back(optimal(m, epsilon));
      gaps_.push_back(to_double(gap(laws_.back())));
    }
  }

  ReportLaw best(std::uint32_t num_snapshots) const {
    ReportLaw best{laws_[0], kInfinity};
    for (std::uint32_t m = 1; m <= std::min(kMostSnapshots, num_snapshots); ++m) {
      const std::uint32_t stride = (num_snapshots + m - 1) / m;
      const double noise = stride / (4 * square(gaps_[m - 1]));
      if (noise < best.noise) best = {laws_[m - 1], noise};
    }
    return best;
  }

 private:
  static constexpr std::uint32_t kMostSnapshots = 64;
  std::vector<ThresholdLaw> laws_;
  std::vector<double> gaps_;
};

Design start_at(Order grid) {
  return {grid, std::vector<double>(grid + 2, 1.0 / (grid + 2)), kInfinity};
}

// Weights are whole and sum to 2^32. Shares below kSmallestShare are dropped, except that of order
// 0, without which periods inside a block would not be determined.
std::vector<std::uint64_t> to_weights(const Design& design) {
  double kept = 0;
  std::vector<double> shares = design.shares;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool needed = i == 0 && design.grid > 0;
    if (shares[i] < kSmallestShare && !needed) shares[i] = 0;
    kept += shares[i];
  }
  std::vector<std::uint64_t> weights;
  std::uint64_t total = 0;
  for (const double share : shares) {
    weights.push_back(static_cast<std::uint64_t>(share / kept * static_cast<double>(kTotalWeight)));
    total += weights.back();
  }
  *std::max_element(weights.begin(), weights.end()) += kTotalWeight - total;
  return weights;
}

}  // namespace

std::vector<View> design_hybrid(Period num_periods, std::uint32_t max_changes, Epsilon epsilon) {
  const std::vector<ReportLaw> orders = order_laws(num_periods, max_changes, epsilon);
  const SnapshotLaws snapshots(epsilon);
  const auto mean_variance = [&](Order grid) {
    std::vector<double> noises;
    for (Order h = 0; h <= grid; ++h) noises.push_back(orders[h].noise);
    return MeanVariance(num_periods, grid, noises, snapshots.best(num_periods >> grid).noise);
  };
  // A short search at every spacing is followed by a long one at the three best: they differ by far
  // more than a short search leaves open.
  constexpr int kShortRounds = 12, kLongRounds = 300;
  std::vector<Design> designs;
  for (Order grid = 0; grid < orders.size(); ++grid) {
    designs.push_back(start_at(grid));
    refine(mean_variance(grid), designs.back(), kShortRounds);
  }
  const auto better = [](const Design& a, const Design& b) {
    return a.mean_variance < b.mean_variance;
  };
  std::sort(designs.begin(), designs.end(), better);
  designs.resize(std::min<std::size_t>(designs.size(), 3));
  for (Design& design : designs) refine(mean_variance(design.grid), design, kLongRounds);
  const Design& best = *std::min_element(designs.begin(), designs.end(), better);

  const std::vector<std::uint64_t> weights = to_weights(best);
  std::vector<View> views;
  for (Order h = 0; h <= best.grid; ++h) {
    if (weights[h] == 0) continue;
    views.push_back({ViewKind::kChanges, h, weights[h], orders[h].law});
  }
  if (weights.back() > 0) {
    const Law law = snapshots.best(num_periods >> best.grid).law;
    views.push_back({ViewKind::kSnapshot, best.grid, weights.back(), law});
  }
  return views;
}

HybridVariances hybrid_variances(const Plan& plan) {
  const double total = static_cast<double>(plan.total_weight());
  HybridVariances variances{std::vector<double>(plan.views.back().order + 1, kInfinity), kInfinity};
  for (const View& view : plan.views) {
    const std::uint32_t indices = view.num_indices(plan.num_periods);
    const double devices = static_cast<double>(view.weight) / total;
    const double c = to_double(gap(view.law));
    if (view.kind == ViewKind::kSnapshot) {
      variances.snapshot = Schedule(view, plan.num_periods).stride / (4 * devices * square(c));
    } else {
      const double changed_share =
          static_cast<double>(std::min(plan.max_changes, indices)) / indices;
      variances.node[view.order] = mean_square(view.law, changed_share) / (devices * square(c));
    }
  }
  return variances;
}

}  // namespace futurerand
