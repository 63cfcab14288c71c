// GridClaims: the effect of every strategy in a `hybrid` plan's snapshot view on the online
// estimates, in one pass over the periods.
//
// The reports of such a strategy reach a count only through the count at the last grid point. The
// change since then is the same for all of them (hybrid.md). So a strategy is followed by this one
// count, from grid point to grid point. Until its first report it equals a device without reports.
// The same holds once its reports are forgotten: both counts then differ only by rounding. In
// practice a filter forgets within some hundred grid points. A filter with a longer memory would
// cost time, and change nothing. So the work is O(d log d), plus O(1) for each report of each start
// and remembered grid point.
//
// Thread safety: a plain value with a reference to sums; they must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/hybrid_estimator.hpp"
#include "futurerand/estimator/robustness/influence.hpp"

namespace futurerand {

class GridClaims {
 public:
  // Requires a hybrid plan and its view that takes snapshots.
  GridClaims(const Plan& plan, std::uint32_t view, const Sums& honest);

  // Adds the effect of strategies on the next period. The first call is for period 1. `enrolled` is
  // the number of honest devices enrolled by its end.
  void advance(std::uint64_t enrolled, Influence& influence);

 private:
  // A claim whose reports are remembered.
  struct Live {
    Claim claim;
    Measurement at;  // the last grid point
  };

  // Follows the starts with a report of this index to the current grid point of both estimators.
  // `late` is its prediction if one more device enrolled in its period.
  void pass(std::uint32_t index, const Measurement& late, double enrolled);
  void sum_up();
  void judge(double before, Influence& influence) const;

  const Sums& honest_;
  std::uint32_t view_;
  Schedule schedule_;
  double share_;  // of one start among all that devices draw
  HybridEstimator without_;
  HybridEstimator silent_;  // with one more device from period 1 on, which never reports
  Period t_ = 0;
  std::vector<Live> live_;
  // Among strategies with a determined count: the lowest and the highest. For strategies sending
  // only plus from period 1 on: their number and the sum of their counts.
  std::optional<Live> lowest_, highest_;
  std::uint32_t plus_ = 0;
  double sum_of_plus_ = 0;
  std::uint32_t forgotten_plus_, forgotten_minus_;  // claims from period 1 on that are not live
};

}  // namespace futurerand
