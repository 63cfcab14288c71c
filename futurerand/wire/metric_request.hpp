// MetricRequest: the body of PUT /v1/metrics/{name}, in which an operator asks for a metric.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct MetricRequest {
  Period periods;
  std::uint32_t max_changes;
  Epsilon epsilon;
  std::optional<Protocol> protocol = {};  // if not given, the recommended one (recommendation.hpp)
  bool manual_clock = false;
  std::optional<std::chrono::sys_seconds> start = {};  // if not given, the second of creation
  std::chrono::seconds period_length{0};               // 0 if not given: only with a manual clock
  Period grace = 1;
  bool test = false;
  std::uint64_t max_devices = kDefaultMaxDevices;
  std::string description = {};
  std::optional<Period> gone_after = {};    // if not given, what the plan can show decides
  std::optional<bool> transcript_cap = {};  // if not given, wherever there can be one
};

// Writes keys in alphabetical order, without those that only repeat a default.
std::string to_json(const MetricRequest& request);

// Returns what a request makes of a metric: its plan, and a clock that starts `now` if none was
// asked for.
Result<MetricDefinition> define_metric(std::string_view name, const MetricRequest& request,
                                       Instant now);
// Does the same from the body as it was sent.
Result<MetricDefinition> define_metric(std::string_view name, std::string_view body, Instant now);

Result<MetricRequest> parse_metric_request(std::string_view body);

}  // namespace futurerand
