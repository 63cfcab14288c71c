// The body of PUT /v1/metrics/{name}, in which an operator asks for a metric. It has the keys of a
// metric's JSON, except that it names the parameters of a plan instead of the plan, and may leave
// keys out. Devices do not need it: they certify a plan, and never make one.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/wire/metric_json.hpp"

namespace futurerand {

// Writes the request that defines this metric, with every key. Two metrics were asked for alike if
// their requests are the same text.
std::string to_request(const MetricDefinition& metric);
// Returns the first second of a day in a time zone. Fails if there is no such zone. Servers have
// the zones; here is only UTC.
using MidnightIn = Result<std::chrono::sys_seconds> (*)(const std::string& zone,
                                                        std::chrono::year_month_day day);
Result<std::chrono::sys_seconds> utc_midnight(const std::string& zone,
                                              std::chrono::year_month_day day);

// Reads a request. A start that is a date is its midnight in the metric's time zone. A protocol or
// a start that it does not name is that of `existing`; without one, the protocol is the recommended
// one and the clock starts `now`.
Result<MetricDefinition> define_metric(std::string_view name, std::string_view request, Instant now,
                                       const MetricDefinition* existing = nullptr,
                                       MidnightIn midnight_in = utc_midnight);
// Returns whether a valid request names its start.
bool requests_start(std::string_view request);

}  // namespace futurerand
