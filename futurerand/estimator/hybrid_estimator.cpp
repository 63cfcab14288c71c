#include "futurerand/estimator/hybrid_estimator.hpp"

#include <cmath>

#include "futurerand/estimator/smoother.hpp"

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

HybridEstimator::HybridEstimator(const Plan& plan)
    : plan_(plan), measure_(plan), prefix_(measure_.grid() + 1) {}

std::vector<Measurement> HybridEstimator::smooth(const Sums& sums, EstimatorKind kind,
                                                 Period up_to) const {
  const Evidence evidence = gather(plan_, sums, up_to);
  return kind == EstimatorKind::kHindsight ? hindsight(evidence)
                                           : trend(evidence, fit_step_variance(evidence));
}

Measurement HybridEstimator::next(const Sums& sums, double enrolled) {
  // Going up, an interval's own reports and those of its halves measure the same change.
  const Period t = period();
  Order h = 0;
  Measurement ended = measure_.change(sums, {0, t}, enrolled);
  while (h < measure_.grid() && ((t >> h) & 1U) == 0) {
    const Measurement halves = prefix_[h++] + ended;
    ended = combine(halves, measure_.change(sums, {h, t >> h}, enrolled));
  }
  prefix_[h] = ended;

  last_snapshot_ = {};
  last_contradiction_.reset();
  if (h == measure_.grid()) {  // a block has ended: one step of a scalar Kalman filter
    const Measurement predicted = at_grid_point_ + ended;
    last_snapshot_ = measure_.snapshot(sums, t, enrolled, predicted);
    const double variance = predicted.variance + last_snapshot_.variance;
    if (std::isfinite(variance) && predicted.variance > 0 && last_snapshot_.variance > 0) {
      last_contradiction_ = (last_snapshot_.value - predicted.value) / std::sqrt(variance);
    }
    at_grid_point_ = combine(predicted, last_snapshot_);
  }
  return count_since(at_grid_point_);
}

Measurement HybridEstimator::count_since(const Measurement& at_grid_point) const {
  Measurement count = at_grid_point;
  for (Order bit = 0; bit < measure_.grid(); ++bit) {
    if ((period() >> bit) & 1U) count = count + prefix_[bit];
  }
  return count;
}

}  // namespace futurerand
