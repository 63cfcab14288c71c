// Influence: how far one device that lies can move an estimate, from the estimator's own weights.
//
// The server cannot tell a lie from noise, so that the most that a device can do is to claim the
// view, and send in it the signs, that count the most. No weight of an online estimate is negative:
// all plus, from the first period on, is the worst upwards, and all minus downwards
// (influence_test.cpp tries every other strategy). What is said is by how much the estimate differs
// from that of the same reports without the device; L of them move it by L times as much at most.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/device_estimate.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What a device that lies says: when it enrols anything that the plan has, and then one sign.
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

  // Takes in that a claim, in a view of this kind, moves a period by so many devices; not a number:
  // by nothing that can be said.
  void take(Period t, double moved, const Claim& claim, ViewKind kind);

  // By how many devices one device moves the online estimate at most, and the claim with which it
  // does.
  std::vector<double> most;
  std::vector<Claim> by;
  // The same if only the views that report changes may be claimed; 0 where there are none.
  std::vector<double> by_changes;
  std::vector<Claim> in_changes;
  // By how much it moves it on average if it sends nothing but plus in a view drawn as honest
  // devices draw theirs: that is all that many liars can do unnoticed (view_shares.hpp).
  std::vector<double> in_shares;
};

// On estimates of all that ever enrolled from these reports, up to a period. Where they determine
// nothing, nothing is moved. Requires a valid plan, sums of it, and up_to <= num_periods. O(d log
// d) for each view, and for `hybrid` what grid_claims.hpp takes.
Influence influence_on(const Plan& plan, const Sums& honest, Period up_to);

// On a large fleet that is as the plan asks for, all from the first period on: the worst of nine,
// of whom no, one, two .. eight eighths hold 1 (what a snapshot weighs depends on it). Smaller
// fleets are moved by less.
Influence influence_of_one(const Plan& plan);

// On active devices, each of which is counted by its own reports alone, and clipped where there is
// a cap: the largest |psi|. Element t-1 is period t.
std::vector<double> influence_on_active(const DeviceEstimate& estimate, Period up_to);

}  // namespace futurerand
