#include "futurerand/estimator/robustness/grid_claims.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {
namespace {

// Some ulps of a count of all devices: estimates are not known to more.
constexpr double kRounding = 0x1p-48;

bool differ_by_rounding_only(const Measurement& a, const Measurement& b, double devices) {
  const bool same_variance =
      a.variance == b.variance || std::abs(a.variance - b.variance) <= kRounding * b.variance;
  return same_variance && std::abs(a.value - b.value) <= kRounding * devices;
}

IndexSum with_report(IndexSum reports, bool minus) {
  reports.sum += minus ? -1 : 1;
  ++reports.count;
  ++reports.spoken;
  return reports;
}

}  // namespace

GridClaims::GridClaims(const Plan& plan, std::uint32_t view, const Sums& honest)
    : honest_(honest),
      view_(view),
      schedule_(plan.views[view], plan.num_periods),
      share_(static_cast<double>(plan.views[view].weight) /
             static_cast<double>(plan.total_weight()) / schedule_.stride),
      without_(plan),
      silent_(without_),
      forgotten_plus_(schedule_.stride),
      forgotten_minus_(schedule_.stride) {}

void GridClaims::advance(std::uint64_t enrolled, Influence& influence) {
  ++t_;
  const std::uint32_t index = schedule_.last_due(t_);
  const bool is_due = index > 0 && schedule_.due(index) == t_;
  Measurement late;
  if (is_due) {
    // Until now its reports are not in, or forgotten: it is as the silent one.
    for (const bool minus : {false, true}) {
      const Claim claim{view_, schedule_.start_of(index), 1, minus};
      const auto is_it = [&](const Live& live) { return live.claim == claim; };
      if (std::none_of(live_.begin(), live_.end(), is_it)) {
        live_.push_back({claim, silent_.at_grid_point()});
      }
    }
    HybridEstimator joined_now = without_;
    joined_now.advance(honest_, enrolled + 1);
    late = without_.at_grid_point() + joined_now.last_block();
  }
  silent_.advance(honest_, enrolled + 1);
  const double before = without_.advance(honest_, enrolled).estimate;
  if (is_due) pass(index, late, static_cast<double>(enrolled + 1));
  judge(before, influence);
}

void GridClaims::pass(std::uint32_t index, const Measurement& late, double enrolled) {
  const IndexSum& reports = honest_.at(view_, index);
  const std::uint32_t start = schedule_.start_of(index);
  for (Live& live : live_) {
    live.at = silent_.corrected(
        live.at + silent_.last_block(),
        live.claim.start == start ? with_report(reports, live.claim.minus) : reports, enrolled);
  }
  // Until its first report an enrolled device is assumed to be like the others. With the opposite
  // sign, enrolling only when the first report is due is therefore worse.
  for (const bool minus : {false, true}) {
    if (index != start || t_ == 1) break;
    live_.push_back({{view_, start, t_, minus},
                     silent_.corrected(late, with_report(reports, minus), enrolled)});
  }
  std::erase_if(live_, [&](const Live& live) {
    return live.claim.start != start &&
           differ_by_rounding_only(live.at, silent_.at_grid_point(), enrolled);
  });
  sum_up();
}

void GridClaims::sum_up() {
  lowest_.reset();
  highest_.reset();
  plus_ = 0;
  sum_of_plus_ = 0;
  forgotten_plus_ = forgotten_minus_ = schedule_.stride;
  for (const Live& live : live_) {
    if (live.claim.joined == 1) --(live.claim.minus ? forgotten_minus_ : forgotten_plus_);
    if (live.at.variance == kUndetermined) continue;
    if (!lowest_ || live.at.value < lowest_->at.value) lowest_ = live;
    if (!highest_ || live.at.value > highest_->at.value) highest_ = live;
    if (live.claim.joined > 1 || live.claim.minus) continue;
    ++plus_;
    sum_of_plus_ += live.at.value;
  }
}

void GridClaims::judge(double before, Influence& influence) const {
  const auto moved = [&](const Measurement& at_grid_point) {
    return to_estimate(t_, silent_.count_since(at_grid_point)).estimate - before;
  };
  for (const std::optional<Live>& live : {lowest_, highest_}) {
    if (live) influence.take(t_, moved(live->at), live->claim, ViewKind::kSnapshot);
  }
  const double by_silent = moved(silent_.at_grid_point());
  if (forgotten_plus_ + forgotten_minus_ > 0) {
    // That of the start whose last report is the oldest.
    const std::uint32_t oldest = schedule_.start_of(schedule_.last_due(t_) + 1);
    influence.take(t_, by_silent, {view_, oldest, 1, forgotten_plus_ == 0}, ViewKind::kSnapshot);
  }
  const double by_plus = plus_ * moved({0, 0}) + sum_of_plus_;
  if (std::isfinite(by_plus)) influence.in_shares[t_ - 1] += share_ * by_plus;
  if (std::isfinite(by_silent)) influence.in_shares[t_ - 1] += share_ * forgotten_plus_ * by_silent;
}

}  // namespace futurerand
