#include "futurerand/wire/metric_json.hpp"

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_text.hpp"
#include "futurerand/wire/plan_json.hpp"
#include "futurerand/wire/utc_time.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMaxPeriodSeconds = 366 * 86'400;
constexpr std::size_t kMaxDescriptionBytes = 500;
constexpr std::uint64_t kMaxMaxDevices = 1'000'000'000'000;

std::string canonical(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // keys are sorted
}

// Text is exact; a number means the shortest decimal that is read as it.
Result<Epsilon> read_epsilon(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return Epsilon::parse(*text);
  if (!value.is_number()) return Error{"epsilon is no number; expected a decimal such as \"1\""};
  std::string text = value.dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return Epsilon::parse(text);
}

// Reads Unix seconds or text. Fractions are cut off, because devices pin whole seconds.
Result<std::int64_t> read_start(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) {
    const Result<std::chrono::sys_seconds> time = parse_utc_time(*text);
    if (!time) return time.error();
    return std::int64_t{time->time_since_epoch().count()};
  }
  const double number = value.is_number() ? value.get<double>() : 0;
  if (number >= 1 && number < 1e11) return static_cast<std::int64_t>(number);
  return Error{"no time; expected Unix seconds or a text such as '2026-01-31T12:00:00Z'"};
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

// Only reports that show whether a device is still there allow inactive_after.
void read_inactive_after(JsonObject& object, MetricDefinition& metric) {
  const Period after = object.integer32("inactive_after", 0, kMaxInactiveAfter);
  metric.inactive_after = after;
  if (object.error()) return;
  if (after == 0) {
    if (metric.plan.heartbeats) {
      object.fail(
          "heartbeats: with inactive_after 0 estimates count all that ever enrolled; "
          "expected one of the two");
    }
    return;
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

// Reads the keys that a metric's JSON and a request share.
Result<MetricDefinition> read_rules(JsonObject& object, const std::string& name, Plan plan,
                                    std::int64_t default_start) {
  MetricDefinition metric = default_metric(name, std::move(plan));
  metric.clock = read_clock(object, default_start);
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
  if (object.has("test")) metric.test = object.boolean("test");
  if (object.has("description")) metric.description = object.text("description");
  if (metric.description.size() > kMaxDescriptionBytes) {
    object.fail("description has " + std::to_string(metric.description.size()) +
                " bytes; expected at most " + std::to_string(kMaxDescriptionBytes));
  }
  if (object.error()) return *object.error();
  return metric;
}

// Reads the parameters of a plan, and makes the plan.
Result<Plan> read_parameters(JsonObject& object, const MetricDefinition* existing) {
  for (const char* key : {"periods", "max_changes", "epsilon"}) {
    if (object.has(key)) continue;
    object.fail("the key '" + std::string(key) +
                "' is missing; expected periods, max_changes and epsilon");
  }
  const Period periods = object.integer32("periods", 1, kMaxPeriods);
  const std::uint32_t changes = object.integer32("max_changes", 1, kMaxChanges);
  if (object.error()) return *object.error();
  const Result<Epsilon> epsilon = read_epsilon(*object.find("epsilon"));
  if (!epsilon) return Error{object.where() + ": " + epsilon.error().message};
  std::optional<Protocol> protocol;
  if (existing != nullptr) protocol = existing->plan.protocol;
  if (object.has("protocol")) protocol = read_protocol(object);
  if (object.error()) return *object.error();
  Result<Plan> plan = protocol ? make_plan(*protocol, periods, changes, *epsilon)
                               : recommended_plan(periods, changes, *epsilon);
  if (!plan || !object.has("heartbeats")) return plan;
  plan->heartbeats = object.boolean("heartbeats");
  if (object.error()) return *object.error();
  if (const Status valid = validate(*plan); !valid) {
    return Error{object.where() + ": " + valid.error().message};
  }
  return plan;
}

Result<MetricDefinition> read_definition(JsonObject& object) {
  const std::string& name = object.text("name");
  if (!object.error() && !is_metric_name(name)) object.fail("no metric is called " + shown(name));
  const Json& plan_json = object.object("plan");
  for (const char* key : {"clock", "start", "period_seconds"}) (void)object.find(key);
  if (object.error()) return *object.error();
  Result<Plan> plan = read_plan(plan_json);
  if (!plan) return plan.error();
  return read_rules(object, name, *std::move(plan), 0);
}

void put_flag(std::string& out, std::string_view key, bool value) {
  out += key;
  out += value ? "true" : "false";
}

void put_count(std::string& out, std::string_view key, std::uint64_t value) {
  out += key;
  put_number(out, value);
}

void put_seconds(std::string& out, std::string_view key, bool known, std::int64_t value) {
  out += key;
  if (known) {
    put_number(out, value);
  } else {
    out += "null";
  }
}

// The keys that a metric's JSON and a request share.
void put_rules(std::string& out, const MetricDefinition& metric) {
  const bool wall = !metric.clock.is_manual();
  out += wall ? ",\"clock\":\"wall\"" : ",\"clock\":\"manual\"";
  put_seconds(out, ",\"start\":", wall, metric.clock.start);
  put_seconds(out, ",\"period_seconds\":", wall, metric.clock.length);
  put_count(out, ",\"grace_periods\":", metric.grace);
  put_count(out, ",\"max_devices\":", metric.max_devices);
  put_count(out, ",\"inactive_after\":", metric.inactive_after);
  put_flag(out, ",\"transcript_cap\":", metric.transcript_cap);
  put_flag(out, ",\"test\":", metric.test);
}

// The object without its closing brace.
std::string open_json(const MetricDefinition& metric) {
  std::string out = "{\"name\":";
  put_text(out, metric.name);
  out += ",\"description\":";
  put_text(out, metric.description);
  out += ",\"plan\":" + to_json(metric.plan);
  put_rules(out, metric);
  return out;
}

// Unlike put_number, this writes 1.0 and not 1.
std::string decimal(double value) { return Json(value).dump(); }

void put_certificate(std::string& out, const PlanCertificate& certificate) {
  const auto put = [&out](bool certified, double exact_epsilon) {
    put_flag(out, "{\"certified\":", certified);
    out += ",\"exact_epsilon\":" + decimal(exact_epsilon);
  };
  put(certificate.certified(), certificate.exact_epsilon());
  out += ",\"views\":[";
  for (const Certificate& view : certificate.views) {
    if (out.back() != '[') out += ',';
    put(view.certified, view.exact_epsilon);
    out += ",\"gap\":" + decimal(view.gap) + '}';
  }
  out += "]}";
}

}  // namespace

std::string to_json(const MetricDefinition& metric) { return open_json(metric) + '}'; }

Result<MetricDefinition> read_metric(const Json& json) {
  JsonObject object(json, "the definition of a metric",
                    {"name", "description", "plan", "clock", "start", "period_seconds",
                     "grace_periods", "max_devices", "inactive_after", "transcript_cap", "test"});
  return read_definition(object);
}

Result<MetricDefinition> parse_metric(std::string_view json) {
  const Result<Json> parsed = parse_json_object(json, "the definition of a metric");
  if (!parsed) return parsed.error();
  return read_metric(*parsed);
}

std::string to_request(const MetricDefinition& metric) {
  const Plan& plan = metric.plan;
  std::string out = "{\"description\":";
  put_text(out, metric.description);
  put_count(out, ",\"periods\":", plan.num_periods);
  put_count(out, ",\"max_changes\":", plan.max_changes);
  out += ",\"epsilon\":";
  put_text(out, plan.epsilon.text());
  out += ",\"protocol\":";
  put_text(out, name_of(plan.protocol));
  put_flag(out, ",\"heartbeats\":", plan.heartbeats);
  put_rules(out, metric);
  return out + '}';
}

Result<MetricDefinition> define_metric(std::string_view name, std::string_view request, Instant now,
                                       const MetricDefinition* existing) {
  const Result<Json> parsed = parse_json_object(request, "the body");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "metric",
                    {"periods", "max_changes", "epsilon", "protocol", "period_seconds", "start",
                     "clock", "grace_periods", "description", "test", "max_devices",
                     "inactive_after", "transcript_cap", "heartbeats"});
  Result<Plan> plan = read_parameters(object, existing);
  if (!plan) return plan.error();
  if (!is_metric_name(name)) {
    return Error{"a metric's name is 1 to 64 letters, digits, '_', '-' or '.'"};
  }
  return read_rules(object, std::string(name), *std::move(plan),
                    existing != nullptr ? existing->clock.start : seconds_at(now));
}

bool requests_start(std::string_view request) {
  const Result<Json> parsed = parse_json_object(request, "the body");
  return parsed && parsed->contains("start");
}

std::string metric_document(const MetricLifecycle& metric, Instant now, const MetricCounts& counts,
                            const PlanCertificate* certificate) {
  std::string out = open_json(*metric.definition);
  put_count(out, ",\"current_period\":", metric.current_period(now));
  out += ",\"state\":";
  put_text(out, metric.state(now));
  if (metric.ended_early()) out += ",\"ended\":true";
  if (metric.archived) out += ",\"archived\":true";
  put_count(out, ",\"devices\":", counts.devices);
  std::uint64_t reports = 0;
  for (const ViewCounts& view : counts.views) reports += view.reports;
  put_count(out, ",\"reports\":", reports);
  put_count(out, ",\"accepted\":", counts.lines.accepted);
  put_count(out, ",\"duplicates\":", counts.lines.duplicates);
  put_count(out, ",\"rejected\":", counts.lines.rejected);
  put_count(out, ",\"early\":", counts.lines.early);
  put_seconds(out, ",\"lines_since\":", true, counts.lines_since);
  out += ",\"views\":[";
  for (const ViewCounts& view : counts.views) {
    if (out.back() != '[') out += ',';
    put_count(out, "{\"devices\":", view.devices);
    put_count(out, ",\"reports\":", view.reports);
    out += '}';
  }
  out += "],\"certificate\":";
  if (certificate != nullptr) {
    put_certificate(out, *certificate);
  } else {
    out += "null";
  }
  return out + '}';
}

Result<PublishedMetric> parse_published_metric(std::string_view json) {
  const std::string where = "the collector's description of a metric";
  const Result<Json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, where);
  const Period current = object.integer32("current_period", 0, UINT32_MAX);
  Result<MetricDefinition> definition = read_definition(object);
  if (!definition) return definition.error();
  return PublishedMetric{*std::move(definition), current};
}

}  // namespace futurerand
