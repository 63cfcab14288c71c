#include "futurerand/estimator/presence/contribution_cap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "futurerand/core/plan/innovation_filter.hpp"

namespace futurerand {
namespace {

// The law of a symmetric sum of independent symbols, each -size, 0 or size, on a grid. A value
// between two grid points is split over both and keeps its mean. This spreads the law, so means of
// convex functions, such as the excess over a limit, are not understated.
class SymbolSum {
 public:
  // Requires `largest` to be no less than any sum of `symbols` symbols. Each symbol may add a point
  // by splitting. Requires fewer symbols than points: plans with innovation have at most 4,096
  // periods.
  SymbolSum(double largest, Period symbols)
      : width_(largest / static_cast<double>(kPoints - 2 - std::size_t{symbols})),
        spread_(std::sqrt(symbols) * width_),
        mass_(4 * kPoints + 1),
        next_(4 * kPoints + 1) {
    mass_[kZero] = 1;
  }

  void add(double size, double speaks) {
    const double steps = size / width_;
    const auto whole = static_cast<std::size_t>(steps);
    const double part = steps - static_cast<double>(whole);
    const double near = speaks / 2 * (1 - part), far = speaks / 2 * part, none = 1 - speaks;
    reached_ += whole + 1;
    for (std::size_t i = kZero - reached_; i <= kZero + reached_; ++i) {
      next_[i] = none * mass_[i] + near * (mass_[i - whole] + mass_[i + whole]) +
                 far * (mass_[i - whole - 1] + mass_[i + whole + 1]);
    }
    std::swap(mass_, next_);
  }

  // The least point exceeded with probability at most `rate`, with room for mass moved below it by
  // splitting.
  double limit(double rate) const {
    double beyond = 0;
    std::size_t i = kZero + reached_;
    while (i > kZero && beyond + mass_[i] <= rate) beyond += mass_[i--];
    return at(i) + spread_;
  }
  // The mean excess over `limit`.
  double excess(double limit) const {
    double sum = 0;
    for (std::size_t i = kZero; i <= kZero + reached_; ++i) {
      sum += mass_[i] * std::max(0.0, at(i) - limit);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kPoints = 1 << 13;    // on each side, and as many never reached
  static constexpr std::size_t kZero = 2 * kPoints;  // where the sum is 0

  double at(std::size_t i) const { return static_cast<double>(i - kZero) * width_; }

  double width_;
  double spread_;  // twice the standard deviation that splitting adds
  std::size_t reached_ = 0;
  std::vector<double> mass_, next_;
};

}  // namespace

std::optional<ContributionCap> contribution_cap(const Plan& plan, double rate) {
  const auto* law = std::get_if<WeightedThresholdLaw>(&plan.views.front().law);
  if (law == nullptr) return std::nullopt;
  const InnovationFilter filter(*law);
  const std::vector<double> response = filter.response(plan.num_periods);
  const std::vector<double> offsets = filter.offsets(plan.num_periods);
  const double high = std::ldexp(static_cast<double>(law->high_side), -64) /
                      std::ldexp(static_cast<double>(high_share(*law).at_least), -63);
  SymbolSum sum(std::accumulate(response.begin(), response.end(), 0.0) / filter.kappa,
                plan.num_periods);
  ContributionCap cap;
  double all_plus = 0;
  for (std::size_t j = 0; j < response.size(); ++j) {
    sum.add(response[j] / filter.kappa, filter.least_square);
    all_plus += response[j] / filter.kappa;
    const double rare = sum.limit(rate / high);
    const double limit = std::min(rare, all_plus);
    cap.most.push_back(offsets[j] + limit);
    cap.least.push_back(offsets[j] - limit);
    cap.bias.push_back(rare < all_plus ? high * sum.excess(limit) : 0);
  }
  return cap;
}

}  // namespace futurerand
