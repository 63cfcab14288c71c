// Influence: how far one device that lies can move an estimate, from the estimator's own weights.
//
// The server cannot tell a lie from noise, so that the most that a device can do is to claim the
// view, and send in it the signs, that count the most. No weight of an online estimate is negative:
// all plus is the worst upwards, and all minus moves the count down by no more. Against a device
// that holds 0 and would have told so; many devices move it by as many times as much.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

struct Influence {
  // Element t-1: by how many devices one device moves the online estimate of period t at most.
  std::vector<double> most;
  // The view, and the start in it, that moves the last period the most.
  std::uint32_t view = 0;
  std::uint32_t start = 0;
};

// For so many users who take part from the first period on, half of whom hold 1.
// Requires a valid plan. O(d log d) for each view, and for each start in a snapshot view.
Influence influence_of_one(const Plan& plan, std::uint64_t users);

// Is that cheap enough to be worked out for whoever asks?
bool is_quickly_known(const Plan& plan);

}  // namespace futurerand
