// PublishedMetric: what a device reads of GET /v1/metrics/{name} before it joins. The plan is
// valid; whether it is private is for the device to certify. Unknown keys are ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

struct PublishedMetric {
  std::string name;
  Plan plan;
  bool manual_clock = false;
  std::int64_t start = 0;           // seconds since 1970; 0 with a manual clock
  std::int64_t period_seconds = 0;  // 0 with a manual clock
  Period current_period = 0;
  bool test = false;
};
Result<PublishedMetric> parse_published_metric(std::string_view json);

}  // namespace futurerand
