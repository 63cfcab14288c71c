#include "futurerand/wire/metric_json.hpp"

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/wire/group_json.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/plan_json.hpp"
#include "futurerand/wire/utc_time.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMaxPeriodSeconds = 366 * 86'400;
constexpr std::size_t kMaxDescriptionBytes = 500;
constexpr std::uint64_t kMaxMaxDevices = 1'000'000'000'000;
constexpr double kEndOfStarts = 95'617'584'000;  // the year 5000, in Unix seconds

std::string canonical(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // keys are sorted
}

// Reads Unix seconds or text. Fractions are cut off, because devices pin whole seconds.
Result<std::int64_t> read_start(const Json& value) {
  double seconds = value.is_number() ? value.get<double>() : 0;
  if (const auto* text = value.get_ptr<const std::string*>()) {
    const Result<std::chrono::sys_seconds> time = parse_utc_time(*text);
    if (!time) return time.error();
    seconds = static_cast<double>(time->time_since_epoch().count());
  }
  if (seconds >= 1 && seconds < kEndOfStarts) return static_cast<std::int64_t>(seconds);
  return Error{
      "no time between 1970 and 5000; expected Unix seconds or a text such as "
      "'2026-01-31T12:00:00Z'"};
}

bool is_null(JsonObject& object, std::string_view key) {
  return !object.has(key) || object.find(key)->is_null();
}

// With a manual clock, start and period_seconds are checked and mean nothing.
Clock read_clock(JsonObject& object, std::int64_t default_start) {
  bool manual = false;
  if (!object.error() && object.has("clock")) {
    const Json& kind = *object.find("clock");
    manual = kind == "manual";
    if (!manual && kind != "wall") {
      object.fail("clock is " + shown(canonical(kind)) + "; expected \"wall\" or \"manual\"");
    }
  }
  Clock clock{.start = default_start};
  if (!object.error() && !is_null(object, "period_seconds")) {
    clock.length = object.integer32("period_seconds", 1, kMaxPeriodSeconds);
  } else if (!manual) {
    object.fail(
        "the key 'period_seconds' is missing; expected the length of a period, or "
        "\"clock\":\"manual\"");
  }
  if (!object.error() && object.has("start") && !(manual && is_null(object, "start"))) {
    const Result<std::int64_t> start = read_start(*object.find("start"));
    if (!start) object.fail("start is " + start.error().message);
    if (start) clock.start = *start;
  }
  return manual ? Clock{} : clock;
}

// The first seasons began before period 1, and their clocks count from 1970 on.
void read_seasons(JsonObject& object, MetricDefinition& metric) {
  const Json& json = object.object("seasons");
  if (object.error()) return;
  JsonObject seasons(json, "seasons", {"every", "rest"});
  const Period season = metric.plan.num_periods;
  const std::uint32_t every = seasons.integer32("every", 1, kMaxPeriods);
  const std::uint32_t rest =
      seasons.has("rest") ? seasons.integer32("rest", 0, kMaxPeriods) : season;
  if (seasons.error()) return object.fail(seasons.error()->message);
  const Result<Calendar> calendar = Calendar::create(season, every, rest);
  if (!calendar) return object.fail(calendar.error().message);
  if (metric.clock.is_manual()) {
    return object.fail("clock is manual; expected a wall clock for a metric with seasons");
  }
  if (metric.clock.start + (calendar->first(1) - 1) * metric.clock.length < 1) {
    return object.fail("start is " + std::to_string(metric.clock.start) +
                       " seconds after 1970; expected at least " + std::to_string(season - every) +
                       " periods, since the first seasons begin that long before it");
  }
  metric.seasons = *calendar;
}

// Only reports that show whether a device is still there allow inactive_after.
void read_inactive_after(JsonObject& object, MetricDefinition& metric) {
  const Period after = object.integer32("inactive_after", 0, kMaxInactiveAfter);
  metric.inactive_after = after;
  if (object.error()) return;
  if (after == 0) {
    if (!metric.plan.coding.has_rows()) return;
    return object.fail("inactive_after is 0; expected " + std::to_string(kMinInactiveAfter) +
                       " to " + std::to_string(kMaxInactiveAfter) + " periods for values of kind " +
                       std::string(name_of(metric.plan.coding.kind())) +
                       ": they are counted for active devices");
  }
  if (after < kMinInactiveAfter) {
    return object.fail("inactive_after is " + std::to_string(after) +
                       "; expected 0 (count all that ever enrolled) or " +
                       std::to_string(kMinInactiveAfter) + " to " +
                       std::to_string(kMaxInactiveAfter) + " periods");
  }
  const Status active = shows_who_is_active(metric.plan);
  if (!active) object.fail("inactive_after: " + active.error().message);
}

}  // namespace

Result<MetricDefinition> read_rules(JsonObject& object, const std::string& name, Plan plan,
                                    std::int64_t default_start) {
  MetricDefinition metric = default_metric(name, std::move(plan));
  metric.clock = read_clock(object, default_start);
  if (object.has("time_zone")) metric.time_zone = object.text("time_zone");
  if (!object.error() && !is_time_zone_name(metric.time_zone)) {
    object.fail("time_zone is " + shown(metric.time_zone) +
                "; expected a zone of the IANA database, such as \"Europe/Berlin\"");
  }
  if (object.has("grace_periods")) metric.grace = object.integer32("grace_periods", 1, kMaxPeriods);
  if (object.has("max_devices")) {
    metric.max_devices = object.integer("max_devices", 1, kMaxMaxDevices);
  }
  if (object.has("inactive_after")) read_inactive_after(object, metric);
  const bool can_be_capped =
      metric.plan.protocol == Protocol::kInnovation && metric.inactive_after > 0;
  metric.transcript_cap =
      object.has("transcript_cap") ? object.boolean("transcript_cap") : can_be_capped;
  if (metric.transcript_cap && !can_be_capped) {
    object.fail(
        "transcript_cap: only innovation with inactive_after keeps transcripts; expected no "
        "transcript_cap");
  }
  if (object.has("seasons")) read_seasons(object, metric);
  if (object.has("group")) metric.group = read_group(object, name);
  if (object.has("test")) metric.test = object.boolean("test");
  if (object.has("description")) metric.description = object.text("description");
  if (metric.description.size() > kMaxDescriptionBytes) {
    object.fail("description has " + std::to_string(metric.description.size()) +
                " bytes; expected at most " + std::to_string(kMaxDescriptionBytes));
  }
  if (object.error()) return *object.error();
  return metric;
}

void put_rules(JsonWriter& json, const MetricDefinition& metric) {
  using Seconds = std::optional<std::int64_t>;
  const bool wall = !metric.clock.is_manual();
  json.member("clock", wall ? "wall" : "manual");
  json.member("start", wall ? Seconds(metric.clock.start) : Seconds());
  json.member("period_seconds", wall ? Seconds(metric.clock.length) : Seconds());
  if (metric.time_zone != "UTC") json.member("time_zone", metric.time_zone);
  json.member("grace_periods", metric.grace).member("max_devices", metric.max_devices);
  json.member("inactive_after", metric.inactive_after);
  json.member("transcript_cap", metric.transcript_cap).member("test", metric.test);
  if (metric.seasons) {
    json.key("seasons").begin_object().member("every", metric.seasons->every());
    json.member("rest", metric.seasons->rest()).end_object();
  }
  if (metric.group) put_group(json.key("group"), *metric.group);
}

namespace {

Result<MetricDefinition> read_definition(JsonObject& object) {
  const std::string& name = object.text("name");
  if (!object.error() && !is_metric_name(name) && !season_named(name))
    object.fail("no metric is called " + shown(name));
  const Json& plan_json = object.object("plan");
  for (const char* key : {"clock", "start", "period_seconds"}) (void)object.find(key);
  if (object.error()) return *object.error();
  Result<Plan> plan = read_plan(plan_json);
  if (!plan) return plan.error();
  return read_rules(object, name, *std::move(plan), 0);
}

}  // namespace

void put_metric(JsonWriter& json, const MetricDefinition& metric) {
  json.member("name", metric.name).member("description", metric.description);
  json.key("plan").json(to_json(metric.plan));
  put_rules(json, metric);
}

std::string to_json(const MetricDefinition& metric) {
  JsonWriter json(1024);
  put_metric(json.begin_object(), metric);
  if (!metric.sources.empty()) json.array("sources", metric.sources);
  return std::move(json.end_object()).take();
}

Result<MetricDefinition> read_metric(const Json& json) {
  JsonObject object(json, "the definition of a metric",
                    {"name", "description", "plan", "clock", "start", "period_seconds", "time_zone",
                     "grace_periods", "max_devices", "inactive_after", "transcript_cap", "test",
                     "seasons", "group", "sources"});
  Result<MetricDefinition> metric = read_definition(object);
  if (!metric || !object.has("sources")) return metric;
  for (const Json& source : object.array("sources")) {
    if (!source.is_string()) object.fail("sources: expected texts");
    if (object.error()) return *object.error();
    metric->sources.push_back(source.get<std::string>());
  }
  if (object.error()) return *object.error();
  return metric;
}

Result<MetricDefinition> parse_metric(std::string_view json) {
  const Result<Json> parsed = parse_json_object(json, "the definition of a metric");
  if (!parsed) return parsed.error();
  return read_metric(*parsed);
}

Result<PublishedMetric> parse_published_metric(std::string_view json) {
  const std::string where = "the collector's description of a metric";
  const Result<Json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, where);
  const Period current = object.integer32("current_period", 0, UINT32_MAX);
  const std::uint64_t devices =
      object.has("devices") ? object.integer("devices", 0, UINT64_MAX) : 0;
  Result<MetricDefinition> definition = read_definition(object);
  if (!definition) return definition.error();
  return PublishedMetric{*std::move(definition), current, devices};
}

}  // namespace futurerand
