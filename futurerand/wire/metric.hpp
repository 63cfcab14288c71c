// MetricDefinition: what a metric is, namely its plan and its clock. It is fixed when the metric is
// created, and both sides know it. The other files of this folder read and write it as JSON.
//
// Thread safety: plain values.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

// This is the ceiling of a metric whose definition does not say.
inline constexpr std::uint64_t kDefaultMaxDevices = 10'000'000;

struct MetricDefinition {
  std::string name;
  std::string description;  // what it asks, for people
  Plan plan;
  bool manual_clock = false;
  std::chrono::sys_seconds start = {};    // of a wall clock: when period 1 begins
  std::chrono::seconds period_length{0};  // a manual clock may have none
  Period grace = 1;   // for so many periods after the horizon, late reports count
  bool test = false;  // takes seeded lines: never for real data
  std::uint64_t max_devices = kDefaultMaxDevices;  // no more devices than these enrol
  // A device is gone once a report that it owes is missing for so many periods, and estimates count
  // those who are not. With 0 nobody keeps who is there, and all that ever enrolled are counted.
  Period gone_after = 0;
  // No transcript counts for more than hardly any honest one does. Of plans with innovation that
  // keep who is there.
  bool transcript_cap = false;
  std::string request = {};  // the body that created it, in canonical form

  // Returns the period that is running: 0 before the start, at most closed_period(). A manual clock
  // only moves when told: then it is `manual_period`.
  Period period_at(Instant now, Period manual_period) const;
  // Returns the period from which on nothing is taken.
  Period closed_period() const { return plan.num_periods + grace + 1; }
};

// Returns the last period that is over while `current` is running, or 0.
Period last_complete(const MetricDefinition& metric, Period current);

// Fails if the horizon of a wall clock is over already: devices could never report anything.
Status check_start(const MetricDefinition& metric, Instant now);

// A name has 1 to 64 letters, digits, '_', '-' and '.', and does not start with a '.'.
bool is_metric_name(std::string_view name);

}  // namespace futurerand
