// OnlineEstimator: the estimate of each period from what was due by its end, one period after the
// other, O(log d) each. For `hybrid` it is the best linear unbiased estimate: hybrid.md.
//
// Thread safety: a plain value; const calls may run at once.
#pragma once

#include <optional>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/dyadic_sum.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/innovation.hpp"
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
  // Its variance is taken at the count that prediction and snapshot say together: the error of that
  // one is uncorrelated with their difference, so that the weights do not bias the estimate.
  Measurement snapshot(const Sums& sums, Period t, double enrolled,
                       const Measurement& predicted) const;
  // The same of these reports. Requires a plan that has snapshots.
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

class OnlineEstimator {
 public:
  // Requires a valid plan.
  explicit OnlineEstimator(const Plan& plan);

  // Estimates the next period, the first call for period 1, from the reports due at its end;
  // `enrolled` is N_t, all devices enrolled by then (Sums::enrolled_by_period). Reports that come
  // in after the call are not used by later calls: start anew, or use estimate(), to count late
  // ones. Requires sums of this plan, and fewer calls so far than it has periods.
  PeriodEstimate advance(const Sums& sums, std::uint64_t enrolled);

  // Returns, for hybrid, the snapshot that the last call used; undetermined if there was none.
  const Measurement& last_snapshot() const { return last_snapshot_; }
  // Hybrid: by how many standard deviations that snapshot differs from what the reports before it
  // and the changes since predict. Standard normal and independent of earlier ones, if devices are
  // honest and stay. None where there is no snapshot.
  const std::optional<double>& last_innovation() const { return last_innovation_; }
  // How many of them there are over a horizon at most.
  double num_innovations(Period num_periods) const;

  // Hybrid, for whoever asks what other snapshots would have said: reports reach the counts after a
  // grid point through the one at it alone. The count at the last grid point, the change over the
  // block that ended there,
  const Measurement& at_grid_point() const { return at_grid_point_; }
  const Measurement& last_block() const { return prefix_.back(); }
  // what a count at a grid point is, from what was predicted for it and these snapshots of it,
  Measurement corrected(const Measurement& predicted, const IndexSum& snapshots,
                        double enrolled) const {
    return combine(predicted, hybrid_->snapshot(snapshots, enrolled, predicted));
  }
  // and what the last call's count is for this one at the last grid point.
  Measurement count_since(const Measurement& at_grid_point) const;

 private:
  Measurement advance_hybrid(const Sums& sums, double enrolled);
  void count_joined(const Sums& sums);

  Protocol protocol_;
  double gap_;  // of the first view: other protocols than hybrid have one law
  std::optional<HybridMeasurements> hybrid_;
  std::optional<InnovationCounts> innovation_;
  Period t_ = 0;
  // These are the best estimates of the changes over the intervals that tile the part of the block
  // up to t_: the one of order h is there if t_ has bit h, as in a binary counter.
  std::vector<Measurement> prefix_;
  Measurement at_grid_point_{0, 0};  // the count at the end of the last block; 0 before period 1
  Measurement last_snapshot_;
  std::optional<double> last_innovation_;
  JoinedByView joined_;  // of protocols that sum dyadic intervals
};

}  // namespace futurerand
