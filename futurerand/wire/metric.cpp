#include "futurerand/wire/metric.hpp"

#include <algorithm>
#include <string>

#include "futurerand/wire/utc_time.hpp"

namespace futurerand {

Period MetricDefinition::period_at(Instant now, Period manual_period) const {
  if (manual_clock) return std::min(manual_period, closed_period());
  if (now < start) return 0;
  return static_cast<Period>(
      std::min<std::int64_t>((now - start) / period_length + 1, closed_period()));
}

Period last_complete(const MetricDefinition& metric, Period current) {
  return current == 0 ? 0 : std::min(current - 1, metric.plan.num_periods);
}

Status check_start(const MetricDefinition& metric, Instant now) {
  if (metric.manual_clock || metric.period_at(now, 0) <= metric.plan.num_periods) return {};
  const std::chrono::sys_seconds end =
      metric.start + metric.period_length * std::int64_t{metric.plan.num_periods};
  return Error{"start is " + utc_text(metric.start) + ", so that all " +
               std::to_string(metric.plan.num_periods) + " periods were over on " + utc_text(end) +
               "; expected a start whose last period is still to come"};
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

}  // namespace futurerand
