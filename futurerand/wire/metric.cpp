#include "futurerand/wire/metric.hpp"

#include <algorithm>
#include <string>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/wire/json_object.hpp"
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

double MetricDefinition::asked_share() const {
  if (!group) return 1;
  const std::optional<SeasonName> season = season_named(name);
  return group->share_of(season ? season->metric : name);
}

MetricDefinition season_metric(const MetricDefinition& endless, std::int64_t season) {
  MetricDefinition metric = endless;
  metric.name = SeasonName{endless.name, season}.text();
  metric.clock.start += (endless.seasons->first(season) - 1) * metric.clock.length;
  metric.seasons.reset();
  return metric;
}

std::optional<SeasonName> season_named(std::string_view name) {
  const std::size_t mark = name.find('#');
  if (mark == std::string_view::npos || !is_metric_name(name.substr(0, mark))) return std::nullopt;
  const std::optional<std::uint64_t> season = parse_decimal(name.substr(mark + 1));
  if (!season || *season < 1 || *season > kNeverPeriod) return std::nullopt;
  return SeasonName{std::string(name.substr(0, mark)), static_cast<std::int64_t>(*season)};
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
  return definition->seasons || current <= definition->plan.num_periods ? "open" : "grace";
}

Period last_complete(const MetricDefinition& metric, Period current) {
  if (current == 0) return 0;
  return metric.seasons ? current - 1 : std::min(current - 1, metric.plan.num_periods);
}

Status check_start(const MetricDefinition& metric, Instant now) {
  const Clock& clock = metric.clock;
  const Period periods = metric.plan.num_periods;
  if (clock.is_manual() || metric.seasons ||
      clock.period_at(seconds_at(now), periods + 1) <= periods) {
    return {};
  }
  const auto text = [](std::int64_t seconds) {
    return utc_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  };
  return Error{"start is " + text(clock.start) + ", so that all " + std::to_string(periods) +
               " periods were over on " + text(clock.start + clock.length * periods) +
               "; expected a start whose last period is still to come"};
}

namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_metric_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
         });
}

// Readers of the database take more: paths, and "localtime" for the zone of the machine.
bool is_time_zone_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name[0] != '/' && name != "localtime" &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '-' || c == '+' || c == '/';
         });
}

}  // namespace futurerand
