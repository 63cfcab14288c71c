#include "futurerand/wire/metric_request.hpp"

#include <optional>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/wire/coding_json.hpp"
#include "futurerand/wire/plan_json.hpp"
#include "futurerand/wire/segments_json.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;

// Text is exact; a number means the shortest decimal that is read as it.
Result<Epsilon> read_epsilon(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return Epsilon::parse(*text);
  if (!value.is_number()) return Error{"epsilon is no number; expected a decimal such as \"1\""};
  std::string text = value.dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return Epsilon::parse(text);
}

// Reads the parameters of a plan, and makes the plan.
Result<Plan> read_parameters(JsonObject& object, const MetricDefinition* existing) {
  for (const char* key : {"periods", "max_changes", "epsilon"}) {
    if (object.has(key)) continue;
    object.fail("the key '" + std::string(key) +
                "' is missing; expected periods, max_changes and epsilon");
  }
  const Period periods = object.integer32("periods", 1, kMaxPeriods);
  const std::uint32_t changes = object.integer32("max_changes", 0, kMaxChanges);
  const Initial initial = object.has("initial") ? read_initial(object)
                          : existing != nullptr ? existing->plan.initial
                                                : Initial::kUnknown;
  const Coding coding =
      object.has("value") || existing == nullptr ? read_value_key(object) : existing->plan.coding;
  const Segments segments = object.has("segment") || existing == nullptr ? read_segment_key(object)
                                                                         : existing->plan.segments;
  if (object.error()) return *object.error();
  const Result<Epsilon> epsilon = read_epsilon(*object.find("epsilon"));
  if (!epsilon) return Error{object.where() + ": " + epsilon.error().message};
  std::optional<Protocol> protocol;
  if (existing != nullptr) protocol = existing->plan.protocol;
  if (object.has("protocol")) protocol = read_protocol(object);
  if (object.error()) return *object.error();
  const bool counts_all = object.has("inactive_after") && *object.find("inactive_after") == 0;
  Result<Plan> plan = protocol ? make_plan(*protocol, periods, changes, *epsilon, initial, coding)
                      : counts_all ? most_accurate_plan(periods, changes, *epsilon, initial, coding)
                                   : recommended_plan(periods, changes, *epsilon, initial, coding);
  if (plan) plan->segments = segments;
  return plan;
}

// A start that is a date becomes its midnight in the time zone of the request.
Status use_local_start(Json& request, MidnightIn midnight_in) {
  const auto start = request.find("start");
  if (start == request.end() || !start->is_string()) return {};
  const auto& text = start->get_ref<const std::string&>();
  const Result<std::chrono::sys_seconds> time = parse_utc_time(text);
  const auto zone = request.find("time_zone");
  // Errors are reported where these are read.
  if (!time || !is_date(text) || zone == request.end() || !zone->is_string()) return {};
  const auto& name = zone->get_ref<const std::string&>();
  if (!is_time_zone_name(name)) return {};
  const Result<std::chrono::sys_seconds> midnight =
      midnight_in(name, std::chrono::floor<std::chrono::days>(*time));
  if (!midnight) return midnight.error();
  *start = midnight->time_since_epoch().count();
  return {};
}

}  // namespace

std::string to_request(const MetricDefinition& metric) {
  const Plan& plan = metric.plan;
  JsonWriter json;
  json.begin_object().member("description", metric.description);
  json.member("periods", plan.num_periods).member("max_changes", plan.max_changes);
  json.member("initial", name_of(plan.initial));
  if (plan.coding != Coding()) json.key("value").json(to_json(plan.coding));
  if (!plan.segments.empty()) json.key("segment").json(to_json(plan.segments));
  json.member("epsilon", plan.epsilon.text()).member("protocol", name_of(plan.protocol));
  put_rules(json, metric);
  return std::move(json.end_object()).take();
}

Result<std::chrono::sys_seconds> utc_midnight(const std::string&, std::chrono::year_month_day day) {
  return std::chrono::sys_seconds(std::chrono::sys_days(day));
}

Result<MetricDefinition> define_metric(std::string_view name, std::string_view request, Instant now,
                                       const MetricDefinition* existing, MidnightIn midnight_in) {
  Result<Json> parsed = parse_json_object(request, "the body");
  if (!parsed) return parsed.error();
  if (const Status local = use_local_start(*parsed, midnight_in); !local) return local.error();
  JsonObject object(
      *parsed, "metric",
      {"periods", "max_changes", "initial", "value", "segment", "epsilon", "protocol",
       "period_seconds", "start", "clock", "time_zone", "grace_periods", "description", "test",
       "max_devices", "inactive_after", "transcript_cap", "seasons", "group"});
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

}  // namespace futurerand
