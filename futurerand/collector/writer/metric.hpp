// What a metric is: its plan and its clock, fixed when it is created.
//
// Thread safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

using Milliseconds = std::int64_t;  // since 1970, or a length

struct MetricDefinition {
  std::string name;
  std::string description;  // what it asks, for people
  Plan plan;
  bool manual_clock = false;
  Milliseconds start = 0;  // of a wall clock: when period 1 begins
  Milliseconds period_length = 0;
  Period grace = 1;     // so many periods after the horizon late reports still count
  bool test = false;    // takes seeded lines: never for real data
  std::string request;  // the body that created it, in canonical form

  // The period that is running: 0 before the start, at most closed_period(). A manual clock only
  // moves when told: then it is `manual_period`.
  Period period_at(Milliseconds now, Period manual_period) const;
  // From this period on nothing is taken.
  Period closed_period() const { return plan.num_periods + grace + 1; }
};

// Of the last period that is over; 0 if none.
inline Period last_complete(const MetricDefinition& metric, Period current) {
  const Period over = current == 0 ? 0 : current - 1;
  return over < metric.plan.num_periods ? over : metric.plan.num_periods;
}

// 1 to 64 letters, digits, '_', '-' and '.', not starting with a '.'.
bool is_metric_name(std::string_view name);

// From the body of PUT /v1/metrics/{name}. Without "start" the metric starts `now`.
Result<MetricDefinition> define_metric(std::string_view name, std::string_view body,
                                       Milliseconds now);

// For the log: a text and back. The plan is kept as it was made, whatever later versions would
// make.
std::string to_text(const MetricDefinition& metric);
Result<MetricDefinition> metric_from_text(std::string_view text);

}  // namespace futurerand
