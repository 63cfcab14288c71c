// SegmentPlan: the precision of results by segment, and the smallest useful segment.
//
// The error of a share falls with the root of the number of devices. So a segment with n_g of n
// devices has sqrt(n / n_g) times the error of the whole.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/study/plan_rows.hpp"

namespace futurerand {

// The precision of a segment if the question does not name one.
inline constexpr double kDefaultSegmentError = 0.05;

struct SegmentChoice {
  std::string name;
  double share = 0;  // of all devices
  double devices = 0;
  double rmse = 0;         // in devices
  double share_error = 0;  // the same as a share of the segment's devices
};

struct SegmentPlan {
  std::vector<SegmentChoice> segments;
  double target_error = kDefaultSegmentError;
  // The smallest segment whose share has this error. Its share of the devices may exceed 1.
  double smallest_devices = 0;
  double smallest_share = 0;
};

// Requires segments. `row` is that of the protocol to deploy, with its error. Fails if the shares
// do not fit the segments.
Result<SegmentPlan> make_segment_plan(const PlanQuestion& question, const PlanRow& row);

}  // namespace futurerand
