// The Sums of a trial whose devices join late, leave and pause, and who was there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "futurerand/core/base/result.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/simulator/engines/engines.hpp"
#include "futurerand/simulator/populations/churn.hpp"

namespace futurerand {

struct ChurnSums {
  SimulatedSums simulated;
  std::optional<Presence> presence;  // where the plan shows who is active

  void merge(const ChurnSums& other) {
    simulated.merge(other.simulated);
    if (presence) presence->merge(*other.presence);
  }
};

struct ChurnTrial {
  ChurnSums all;
  // Where some lie: what the others sent alone, and how far one device can move what they say.
  std::optional<ChurnSums> honest = {};
  Influence influence = {};
};

// Real devices, as the collector has folded them once the horizon is over, into sums and a copy of
// this presence, which is empty, or none. Fails if entropy fails.
Result<ChurnTrial> run_churn(const CertifiedPlan& plan, const Population& population,
                             const Churn& churn, const Trial& trial,
                             const std::optional<Presence>& presence);

// The same, without adversaries, for devices of which each takes part as `takes_part` says, or not
// at all. It may change the user's values, which it gets by the plan's periods.
using TakesPart = std::function<std::optional<Participation>(std::uint64_t user, Values& values)>;
Result<ChurnSums> run_participants(const CertifiedPlan& plan, const Population& population,
                                   const Trial& trial, const std::optional<Presence>& presence,
                                   const TakesPart& takes_part);

}  // namespace futurerand
