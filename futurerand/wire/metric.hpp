// MetricDefinition: what a metric is, namely its plan, its clock and its rules. It is fixed when
// the metric is created, and both sides know it. metric_json.hpp has its one JSON form.
//
// MetricLifecycle: a metric and what an operator or the clock changed about it since.
//
// Thread safety: plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/core/plan/clock.hpp"
#include "futurerand/core/plan/metric_group.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/wire/annotation.hpp"

namespace futurerand {

using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
// Returns whole seconds since 1970, as clocks count them.
std::int64_t seconds_at(Instant now);

// The limit of a metric whose definition does not name one.
inline constexpr std::uint64_t kDefaultMaxDevices = 10'000'000;

// No clock reaches it: with periods of a second it is 136 years away.
inline constexpr Period kNeverPeriod = UINT32_MAX;

struct MetricDefinition {
  std::string name;
  std::string description;  // what it asks, for people
  Plan plan;
  Clock clock = {};
  std::string time_zone = "UTC";  // its days are those of this zone; only servers need to know it
  Period grace = 1;               // for so many periods after the horizon, late reports count
  bool test = false;              // accepts seeded lines: never for real data
  std::uint64_t max_devices = kDefaultMaxDevices;  // no more devices than these enrol
  // A device is inactive once a due report is missing for this many periods, and estimates
  // count active devices. With 0 estimates count all devices that ever enrolled.
  Period inactive_after = 0;
  // Clips each device's contribution at a level that one honest device in 10,000 exceeds.
  // Requires innovation and inactive_after.
  bool transcript_cap = false;
  // Which collections the counts come from: a random id for each creation of a metric, and those of
  // all that were merged. Two that share one have counted the same devices. Devices do not see it.
  std::vector<std::string> sources = {};
  // A metric without an end has seasons: its clock counts periods for ever, and the plan is that of
  // one season. Each season is a metric of its own (season_metric). Requires a wall clock.
  std::optional<Calendar> seasons = {};
  // The group whose devices this metric shares with others: each device draws one metric of it.
  std::optional<MetricGroup> group = {};

  // Returns the share of the group's devices that this metric asks; 1 without a group.
  double asked_share() const;
  // Returns the first period in which nothing is accepted any more, or kNeverPeriod.
  Period closed_period() const { return seasons ? kNeverPeriod : plan.num_periods + grace + 1; }
  friend bool operator==(const MetricDefinition&, const MetricDefinition&) = default;
};

// Returns a metric of this plan with a manual clock and the default rules.
MetricDefinition default_metric(std::string name, Plan plan);

// Returns a season of a metric without an end: a metric of one horizon, whose first period is
// calendar.first(season) of the endless clock. '#' in its name keeps it apart from all metrics that
// people name. Requires seasons and a season of 1 or more.
MetricDefinition season_metric(const MetricDefinition& endless, std::int64_t season);

// The name of a season: that of its metric, '#' and its number.
struct SeasonName {
  std::string metric;
  std::int64_t season = 0;

  std::string text() const { return metric + '#' + std::to_string(season); }
};
// Returns nothing for any other name.
std::optional<SeasonName> season_named(std::string_view name);

struct MetricLifecycle {
  std::shared_ptr<const MetricDefinition> definition;
  Period manual_period = 1;  // of a manual clock
  // The period in which the metric was closed: its clock stands still, and nothing is accepted.
  // An operator may close it before closed_period().
  std::optional<Period> ended = {};
  bool archived = false;
  // The texts that a text metric is asked about. An operator may add some at any time.
  std::vector<std::string> candidates = {};
  std::vector<Annotation> annotations = {};  // by period and date

  // Returns the current period: 0 before the start, at most closed_period().
  Period current_period(Instant now) const;
  // Once ended it stays closed, whatever the clock does.
  bool is_closed(Instant now) const;
  bool ended_early() const { return ended && *ended < definition->closed_period(); }
  // "waiting", "open", "grace" or "closed".
  std::string_view state(Instant now) const;
  friend bool operator==(const MetricLifecycle&, const MetricLifecycle&) = default;
};

// Returns the last period that is over while `current` is running, or 0.
Period last_complete(const MetricDefinition& metric, Period current);

// Fails if the horizon of a wall clock is over already: devices could never report anything.
Status check_start(const MetricDefinition& metric, Instant now);

// A name has 1 to 64 letters, digits, '_', '-' and '.', and does not start with a '.'.
bool is_metric_name(std::string_view name);

// Whether it looks like a name of the IANA database. A server says whether there is such a zone.
bool is_time_zone_name(std::string_view name);

}  // namespace futurerand
