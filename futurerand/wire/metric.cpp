#include "futurerand/wire/metric.hpp"

#include <algorithm>
#include <string>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {

std::int64_t seconds_at(Instant now) {
  return std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
}

MetricDefinition default_metric(std::string name, Plan plan) {
  MetricDefinition metric{.name = std::move(name), .description = "", .plan = std::move(plan)};
  if (shows_who_is_active(metric.plan)) metric.inactive_after = kDefaultInactiveAfter;
  metric.transcript_cap =
      metric.plan.protocol == Protocol::kInnovation && metric.inactive_after > 0;
  return metric;
}

Period MetricLifecycle::current_period(Instant now) const {
  if (ended) return *ended;
  const Period last = definition->closed_period();
  if (definition->clock.is_manual()) return std::min(manual_period, last);
  return definition->clock.period_at(seconds_at(now), last);
}

bool MetricLifecycle::is_closed(Instant now) const {
  return ended || current_period(now) >= definition->closed_period();
}

std::string_view MetricLifecycle::state(Instant now) const {
  if (is_closed(now)) return "closed";
  const Period current = current_period(now);
  if (current == 0) return "waiting";
  return current <= definition->plan.num_periods ? "open" : "grace";
}

Period last_complete(const MetricDefinition& metric, Period current) {
  return current == 0 ? 0 : std::min(current - 1, metric.plan.num_periods);
}

Status check_start(const MetricDefinition& metric, Instant now) {
  const Clock& clock = metric.clock;
  const Period periods = metric.plan.num_periods;
  if (clock.is_manual() || clock.period_at(seconds_at(now), periods + 1) <= periods) {
    return {};
  }
  const auto text = [](std::int64_t seconds) {
    return utc_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  };
  return Error{"start is " + text(clock.start) + ", so that all " + std::to_string(periods) +
               " periods were over on " + text(clock.start + clock.length * periods) +
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
