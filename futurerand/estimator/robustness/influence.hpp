// Influence: how far one device that lies can move an estimate, from the estimator's own weights.
//
// The server cannot tell a lie from noise. So the strongest strategy claims the view, and sends the
// signs, with the largest weights. No weight of an online estimate is negative: all plus, from the
// first period on, is the worst upwards, and all minus downwards (influence_test.cpp tries every
// other strategy). Influence is the difference between the estimate with the device and the
// estimate without it. L adversaries have at most L times the influence of one.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/device_estimate.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The strategy of an adversary: any enrolment allowed by the plan, and then one sign.
struct Claim {
  std::uint32_t view = 0;
  std::uint32_t start = 0;
  Period joined = 1;
  bool minus = false;
  friend bool operator==(const Claim&, const Claim&) = default;
};

// Element t-1 of all is period t.
struct Influence {
  Influence() = default;
  explicit Influence(Period periods)
      : most(periods), by(periods), by_changes(periods), in_changes(periods), in_shares(periods) {}

  // Records a strategy in a view of this kind: it moves period t by `moved` devices. Not a number
  // means no known effect.
  void take(Period t, double moved, const Claim& claim, ViewKind kind);

  // By how many devices one device moves the online estimate at most, and the claim with which it
  // does.
  std::vector<double> most;
  std::vector<Claim> by;
  // The same if adversaries may claim only the views of changes; 0 if there are none.
  std::vector<double> by_changes;
  std::vector<Claim> in_changes;
  // The mean influence of a device sending only plus in a view drawn like an honest device's. Many
  // adversaries can do no more unnoticed (view_shares.hpp).
  std::vector<double> in_shares;
};

// On estimates of all that ever enrolled from these reports, up to a period. Where they determine
// nothing, nothing is moved. Requires a valid plan, sums of it, and up_to <= num_periods. O(d log
// d) for each view, and for `hybrid` what grid_claims.hpp takes.
Influence influence_on(const Plan& plan, const Sums& honest, Period up_to);

// On a large fleet with the plan's weights, all from the first period on. It is the worst of nine
// fleets: zero to eight eighths of the devices hold 1, since the weight of a snapshot depends on
// this share. The influence on smaller fleets is smaller.
Influence influence_of_one(const Plan& plan);

// On active devices. Each is counted by its own reports alone, and clipped if there is a cap: the
// largest |psi|. Element t-1 is period t.
std::vector<double> influence_on_active(const DeviceEstimate& estimate, Period up_to);

}  // namespace futurerand
