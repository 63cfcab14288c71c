// The Sums of a trial whose devices join late, leave and pause, and who was there.
#pragma once

#include <cstdint>
#include <optional>

#include "futurerand/core/base/result.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/simulator/engines.hpp"
#include "futurerand/simulator/lives.hpp"

namespace futurerand {

struct LivedSums {
  SimulatedSums simulated;
  std::optional<Presence> presence;  // where the plan shows who is active

  void merge(const LivedSums& other) {
    simulated.merge(other.simulated);
    if (presence) presence->merge(*other.presence);
  }
};

struct LivedTrial {
  LivedSums all;
  // Where some lie: what the others sent alone, and how far one device can move what they say.
  std::optional<LivedSums> honest = {};
  Influence influence = {};
};

// Real devices, as the collector has folded them once the horizon is over, into sums and a copy of
// this presence, which is empty, or none. Fails if entropy fails.
Result<LivedTrial> run_lives(const CertifiedPlan& plan, const Population& population,
                             const Lives& lives, const Trial& trial,
                             const std::optional<Presence>& presence);

}  // namespace futurerand
