#include "futurerand/core/plan/prediction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "futurerand/core/plan/hybrid_design.hpp"
#include "futurerand/core/plan/innovation_design.hpp"
#include "futurerand/core/plan/pulse_design.hpp"

namespace futurerand {
namespace {

// Finds the bound x for which the sum over periods of P(|error_t| > x) is 5%. Periods whose
// variances agree to one in 10^4 are counted together, so that a million of them fall into a few
// hundred tails.
double simultaneous_bound(const std::vector<double>& variances) {
  constexpr double kMissed = 0.05, kBucketsPerLog = 1e4;
  std::map<long, double> periods_by_log;
  for (const double variance : variances) {
    periods_by_log[std::lround(std::log(variance) * kBucketsPerLog)] += 1;
  }
  const auto missed = [&](double x) {
    double sum = 0;
    for (const auto& [bucket, periods] : periods_by_log) {
      sum += periods *
             std::erfc(x / std::sqrt(2 * std::exp(static_cast<double>(bucket) / kBucketsPerLog)));
    }
    return sum;
  };
  double low = 0;
  double high = std::sqrt(*std::max_element(variances.begin(), variances.end()));
  while (missed(high) > kMissed) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (missed(middle) > kMissed ? low : high) = middle;
  }
  return high;
}

// An estimate sums popcount(t) nodes, each the mean of one order's users, a 1/(1+log d) share of
// all.
std::vector<double> plain_dyadic_sum(const Plan& plan) {
  const double c = to_double(gap(plan.views.front().law));
  const double node = static_cast<double>(plan.views.size()) / (c * c);
  std::vector<double> variances(plan.num_periods);
  for (Period t = 1; t <= plan.num_periods; ++t) variances[t - 1] = std::popcount(t) * node;
  return variances;
}

// A value as -1/+1 instead of a change in -1/0/1 has a quarter of the variance, from one in `every`
// users.
std::vector<double> values(const Plan& plan, double every) {
  const double c = to_double(gap(plan.views.front().law));
  return std::vector<double>(plan.num_periods, every / (4 * c * c));
}

// This is the recursion of the online estimate: nodes are combined from below, each grid point is a
// scalar Kalman step, and the prefix inside the block follows.
std::vector<double> hybrid(const Plan& plan) {
  const HybridVariances own = hybrid_variances(plan);
  const Order grid = static_cast<Order>(own.node.size()) - 1;
  std::vector<double> combined(grid + 1);
  for (Order h = 0; h <= grid; ++h) {
    combined[h] = h == 0 ? own.node[h] : 1 / (1 / own.node[h] + 1 / (2 * combined[h - 1]));
  }
  std::vector<double> variances(plan.num_periods);
  double at_grid_point = 0;
  for (Period t = 1; t <= plan.num_periods; ++t) {
    const Period position = t & ((Period{1} << grid) - 1);
    double variance = at_grid_point;
    for (Order h = 0; h < grid; ++h) {
      if ((position >> h) & 1U) variance += combined[h];
    }
    if (position == 0) {
      variance = at_grid_point = 1 / (1 / (at_grid_point + combined[grid]) + 1 / own.snapshot);
    }
    variances[t - 1] = variance;
  }
  return variances;
}

}  // namespace

std::vector<double> predicted_variances(const Plan& plan) {
  switch (plan.protocol) {
    case Protocol::kInnovation:
      return innovation_variances(std::get<WeightedThresholdLaw>(plan.views.front().law),
                                  plan.num_periods);
    case Protocol::kPulse:
      return PulsePrediction(pulse_classes(plan), plan.num_periods).typical_variances();
    case Protocol::kHybrid:
      return hybrid(plan);
    case Protocol::kSnapshot:
      return values(plan, plan.num_periods);
    case Protocol::kRepeated:
    case Protocol::kOnce:
      return values(plan, 1);
    default:
      return plain_dyadic_sum(plan);
  }
}

PredictedError summarize(const std::vector<double>& variances) {
  double sum = 0;
  for (const double variance : variances) sum += variance;
  return {std::sqrt(sum / static_cast<double>(variances.size())),
          std::sqrt(*std::max_element(variances.begin(), variances.end())),
          simultaneous_bound(variances)};
}

PredictedError predict_error(const Plan& plan, double num_users) {
  const PredictedError of_one = summarize(predicted_variances(plan));
  const double scale = std::sqrt(num_users);
  return {scale * of_one.rmse, scale * of_one.worst, scale * of_one.max_error};
}

}  // namespace futurerand
