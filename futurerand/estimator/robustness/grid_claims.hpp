// GridClaims: what every claim of a `hybrid` plan's snapshot view does to the online estimates, all
// in one pass over the periods.
//
// The reports of such a claim reach a count through the one at the last grid point alone, and what
// has changed since is the same for all of them (hybrid.md). So a claim is followed by that one
// count, from grid point to grid point. Until it first reports it is as a device that enrols and
// stays silent, and so it is again when its reports are forgotten: where both counts differ by
// rounding only. As plans are, a filter forgets within some hundred grid points; one that did not
// would cost time, and change nothing. So O(d log d), and O(1) for each report of each start and
// grid point at which it is remembered.
//
// Thread safety: a plain value, which refers to sums that outlive it.
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

  // Adds what claims do to the next period, the first call for period 1, by whose end so many
  // honest devices have enrolled.
  void advance(std::uint64_t enrolled, Influence& influence);

 private:
  // A claim whose reports are remembered.
  struct Live {
    Claim claim;
    Measurement at;  // the last grid point
  };

  // Follows the starts that report this index to the grid point that both estimators are at now.
  // `late` is what was predicted for it if one more device enrolled in its period.
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
  // Of those whose count is determined: the two that are furthest apart, and of those that send
  // nothing but plus from period 1 on, how many there are and the sum of their counts.
  std::optional<Live> lowest_, highest_;
  std::uint32_t plus_ = 0;
  double sum_of_plus_ = 0;
  std::uint32_t forgotten_plus_, forgotten_minus_;  // claims from period 1 on that are not live
};

}  // namespace futurerand
