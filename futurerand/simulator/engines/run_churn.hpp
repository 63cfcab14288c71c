// The Sums of a trial with churn: devices join late, leave and pause. Also records their presence.
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
  std::optional<Presence> presence;  // if the plan shows active devices

  void merge(const ChurnSums& other) {
    simulated.merge(other.simulated);
    if (presence) presence->merge(*other.presence);
  }
};

struct ChurnTrial {
  ChurnSums all;
  // With adversaries: the sums of the honest devices alone, and the maximum shift by one device.
  std::optional<ChurnSums> honest = {};
  Influence influence = {};
};

// Runs real devices to the end of the horizon and folds their reports into sums, as a collector
// does. `presence` is empty or none; a copy of it is filled. Fails if entropy fails.
Result<ChurnTrial> run_churn(const CertifiedPlan& plan, const Population& population,
                             const Churn& churn, const Trial& trial,
                             const std::optional<Presence>& presence);

// The same without adversaries. `takes_part` decides the participation of each user, or none. It
// may change the user's values, given by the plan's periods.
using TakesPart = std::function<std::optional<Participation>(std::uint64_t user, Values& values)>;
Result<ChurnSums> run_participants(const CertifiedPlan& plan, const Population& population,
                                   const Trial& trial, const std::optional<Presence>& presence,
                                   const TakesPart& takes_part);

}  // namespace futurerand
