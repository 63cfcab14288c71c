// HybridEstimator: counts of a `hybrid` plan, one period after the other, O(log d) each. The online
// estimate is the best linear unbiased one; smoother.hpp has the others. hybrid.md has the proofs.
//
// Thread safety: as Estimator.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimator.hpp"
#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// HybridMeasurements: the sums of a hybrid plan as measurements.
class HybridMeasurements {
 public:
  // Requires a valid hybrid plan.
  explicit HybridMeasurements(const Plan& plan);

  // Snapshots are taken at multiples of 2^grid; no order is above it.
  Order grid() const { return grid_; }
  // The result is undetermined if no view reports this order, or none of its reports came.
  Measurement change(const Sums& sums, DyadicInterval interval, double enrolled) const;
  // Its variance is taken at the count from prediction and snapshot together. The error of this
  // count is uncorrelated with their difference, so the weights do not bias the estimate.
  Measurement snapshot(const Sums& sums, Period t, double enrolled,
                       const Measurement& predicted) const;
  // The same of these reports. Requires a plan with snapshots.
  Measurement snapshot(const IndexSum& reports, double enrolled,
                       const Measurement& predicted) const;

 private:
  struct Source {
    std::uint32_t view;
    double gap;
    double least_square;  // mean square of a report without a change
  };
  Order grid_;
  std::vector<std::optional<Source>> changes_;  // by order
  std::optional<Source> snapshot_;
};

class HybridEstimator final : public Estimator {
 public:
  // Requires a valid hybrid plan.
  explicit HybridEstimator(const Plan& plan);

  void accept(EstimatorVisitor& visitor) const override { visitor.visit(*this); }
  std::unique_ptr<Estimator> copy() const override {
    return std::make_unique<HybridEstimator>(*this);
  }
  bool is_online(EstimatorKind kind) const override { return kind == EstimatorKind::kOnline; }
  std::vector<Measurement> smooth(const Sums& sums, EstimatorKind kind,
                                  Period up_to) const override;
  // A snapshot is compared with the prediction of the reports before it and the changes since.
  std::optional<double> last_contradiction() const override { return last_contradiction_; }
  Period num_contradictions() const override { return plan_.num_periods >> measure_.grid(); }

  // Returns the snapshot used by the last call; undetermined if there was none.
  const Measurement& last_snapshot() const { return last_snapshot_; }

  // The next four compute counts for other snapshots. Reports reach the counts after a grid point
  // only through the count at it. These two are the count at the last grid point and the change
  // over the block up to it.
  const Measurement& at_grid_point() const { return at_grid_point_; }
  const Measurement& last_block() const { return prefix_.back(); }
  // The count at a grid point, from its prediction and these snapshots of it.
  Measurement corrected(const Measurement& predicted, const IndexSum& snapshots,
                        double enrolled) const {
    return combine(predicted, measure_.snapshot(snapshots, enrolled, predicted));
  }
  // The last call's count, with this count at the last grid point.
  Measurement count_since(const Measurement& at_grid_point) const;

 private:
  Measurement next(const Sums& sums, double enrolled) override;

  Plan plan_;
  HybridMeasurements measure_;
  // The best estimates of the changes over the intervals of the current block up to period(). As in
  // a binary counter, the one of order h exists if period() has bit h.
  std::vector<Measurement> prefix_;
  Measurement at_grid_point_{0, 0};  // the count at the end of the last block; 0 before period 1
  Measurement last_snapshot_;
  std::optional<double> last_contradiction_;
};

}  // namespace futurerand
