#include "futurerand/estimator/online.hpp"

#include <cmath>

namespace futurerand {

HybridMeasurements::HybridMeasurements(const Plan& plan)
    : grid_(plan.views.back().order), changes_(grid_ + 1) {
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    const Source source{v, to_double(gap(view.law)), mean_square(view.law, 0)};
    (view.kind == ViewKind::kSnapshot ? snapshot_ : changes_[view.order]) = source;
  }
}

Measurement HybridMeasurements::change(const Sums& sums, DyadicInterval interval,
                                       double enrolled) const {
  if (enrolled == 0) return {0, 0};
  const std::optional<Source>& source = changes_[interval.order];
  if (!source) return {};
  return measure_change(sums.at(source->view, interval.index), enrolled, source->gap,
                        source->least_square);
}

Measurement HybridMeasurements::snapshot(const Sums& sums, Period t, double enrolled,
                                         const Measurement& predicted) const {
  const IntervalIndex index = t >> grid_;
  if (!snapshot_ || index << grid_ != t) return {};
  return snapshot(sums.at(snapshot_->view, index), enrolled, predicted);
}

Measurement HybridMeasurements::snapshot(const IndexSum& reports, double enrolled,
                                         const Measurement& predicted) const {
  const Measurement alone = measure_value(reports, enrolled, snapshot_->gap);
  return measure_value(reports, enrolled, snapshot_->gap, combine(predicted, alone));
}

OnlineEstimator::OnlineEstimator(const Plan& plan)
    : protocol_(plan.protocol), gap_(to_double(gap(plan.views.front().law))) {
  if (protocol_ == Protocol::kInnovation) innovation_.emplace(plan);
  if (protocol_ != Protocol::kHybrid) return;
  hybrid_.emplace(plan);
  prefix_.resize(hybrid_->grid() + 1);
}

PeriodEstimate OnlineEstimator::advance(const Sums& sums, std::uint64_t enrolled) {
  ++t_;
  const double n = static_cast<double>(enrolled);
  switch (protocol_) {
    case Protocol::kInnovation:
      return to_estimate(t_, innovation_->advance(sums.at(0, t_), n));
    case Protocol::kHybrid:
      return to_estimate(t_, advance_hybrid(sums, n));
    case Protocol::kSnapshot:
    case Protocol::kRepeated:
      return to_estimate(t_, measure_value(sums.at(0, t_), n, gap_));
    default:
      count_joined(sums);
      return to_estimate(t_, dyadic_sum(sums, gap_, t_, joined_));
  }
}

double OnlineEstimator::num_innovations(Period num_periods) const {
  return hybrid_ ? num_periods >> hybrid_->grid() : 0;
}

void OnlineEstimator::count_joined(const Sums& sums) {
  joined_.resize(sums.num_views());
  for (std::uint32_t view = 0; view < joined_.size(); ++view) {
    const std::uint64_t before = t_ == 1 ? 0 : joined_[view].back();
    joined_[view].push_back(before + sums.enrolled_in(view, t_));
  }
}

Measurement OnlineEstimator::advance_hybrid(const Sums& sums, double enrolled) {
  // Going up, an interval's own reports and those of its halves measure the same change.
  Order h = 0;
  Measurement ended = hybrid_->change(sums, {0, t_}, enrolled);
  while (h < hybrid_->grid() && ((t_ >> h) & 1U) == 0) {
    const Measurement halves = prefix_[h++] + ended;
    ended = combine(halves, hybrid_->change(sums, {h, t_ >> h}, enrolled));
  }
  prefix_[h] = ended;

  last_snapshot_ = {};
  last_innovation_.reset();
  if (h == hybrid_->grid()) {  // a block has ended: one step of a scalar Kalman filter
    const Measurement predicted = at_grid_point_ + ended;
    last_snapshot_ = hybrid_->snapshot(sums, t_, enrolled, predicted);
    const double variance = predicted.variance + last_snapshot_.variance;
    if (std::isfinite(variance) && predicted.variance > 0 && last_snapshot_.variance > 0) {
      last_innovation_ = (last_snapshot_.value - predicted.value) / std::sqrt(variance);
    }
    at_grid_point_ = combine(predicted, last_snapshot_);
  }
  return count_since(at_grid_point_);
}

Measurement OnlineEstimator::count_since(const Measurement& at_grid_point) const {
  Measurement count = at_grid_point;
  for (Order bit = 0; bit < hybrid_->grid(); ++bit) {
    if ((t_ >> bit) & 1U) count = count + prefix_[bit];
  }
  return count;
}

}  // namespace futurerand
