#include "futurerand/wire/metric_request.hpp"

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/gone.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/protocol_name.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMaxPeriodSeconds = 366 * 86'400;
constexpr std::size_t kMaxDescriptionBytes = 500;
constexpr std::uint64_t kMaxMaxDevices = 1'000'000'000'000;

std::string canonical(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);  // keys are sorted
}

// Text is exact; a number is taken as the shortest decimal that means it.
Result<Epsilon> read_epsilon(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return Epsilon::parse(*text);
  if (!value.is_number()) return Error{"epsilon is no number; expected a decimal such as \"1\""};
  std::string text = value.dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return Epsilon::parse(text);
}

// Reads Unix seconds or text. Fractions are cut off, because devices pin whole seconds.
Result<std::chrono::sys_seconds> read_start(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return parse_utc_time(*text);
  const double number = value.is_number() ? value.get<double>() : 0;
  if (number >= 1 && number < 1e11) {
    return std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(number)));
  }
  return Error{"no time; expected Unix seconds or a text such as '2026-01-31T12:00:00Z'"};
}

void read_clock(JsonObject& object, MetricRequest& request) {
  if (object.error()) return;
  if (object.has("clock")) {
    const Json& clock = *object.find("clock");
    request.manual_clock = clock == "manual";
    if (!request.manual_clock && clock != "wall") {
      return object.fail("clock is " + shown(canonical(clock)) +
                         "; expected \"wall\" or \"manual\"");
    }
  }
  if (object.has("period_seconds")) {
    request.period_length =
        std::chrono::seconds(object.integer32("period_seconds", 1, kMaxPeriodSeconds));
  } else if (!request.manual_clock) {
    object.fail(
        "the key 'period_seconds' is missing; expected the length of a period, or "
        "\"clock\":\"manual\"");
  }
  if (object.error()) return;
  if (object.has("start")) {
    const Result<std::chrono::sys_seconds> start = read_start(*object.find("start"));
    if (!start) return object.fail("start is " + start.error().message);
    request.start = *start;
  }
}

Period read_gone_after(JsonObject& object) {
  const Period gone_after = object.integer32("gone_after", 0, kMaxGoneAfter);
  if (gone_after > 0 && gone_after < kMinGoneAfter) {
    object.fail("gone_after is " + std::to_string(gone_after) +
                "; expected 0 (count all that ever "
                "enrolled) or " +
                std::to_string(kMinGoneAfter) + " to " + std::to_string(kMaxGoneAfter) +
                " periods");
  }
  return gone_after;
}

// Devices that are active are counted, unless their reports do not show who is.
Result<Period> gone_after_of(const MetricRequest& request, const Plan& plan) {
  const Status shown = shows_who_is_active(plan);
  if (!request.gone_after) return shown ? kDefaultGoneAfter : Period{0};
  if (*request.gone_after > 0 && !shown) {
    return Error{"metric: gone_after: " + shown.error().message};
  }
  return *request.gone_after;
}

Result<MetricRequest> read_request(const Json& body) {
  JsonObject object(
      body, "metric",
      {"periods", "max_changes", "epsilon", "protocol", "period_seconds", "start", "clock",
       "grace_periods", "description", "test", "max_devices", "gone_after", "transcript_cap"});
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
  MetricRequest request{.periods = periods, .max_changes = changes, .epsilon = *epsilon};
  if (object.has("protocol")) request.protocol = read_protocol(object);
  read_clock(object, request);
  if (object.has("grace_periods")) {
    request.grace = object.integer32("grace_periods", 1, kMaxPeriods);
  }
  if (object.has("max_devices")) {
    request.max_devices = object.integer("max_devices", 1, kMaxMaxDevices);
  }
  if (object.has("gone_after")) request.gone_after = read_gone_after(object);
  if (object.has("transcript_cap")) request.transcript_cap = object.boolean("transcript_cap");
  if (object.has("test")) request.test = object.boolean("test");
  if (object.has("description")) request.description = object.text("description");
  if (request.description.size() > kMaxDescriptionBytes) {
    object.fail("description has " + std::to_string(request.description.size()) +
                " bytes; expected at most " + std::to_string(kMaxDescriptionBytes));
  }
  if (object.error()) return *object.error();
  return request;
}

Result<Plan> plan_of(const MetricRequest& request) {
  const Epsilon epsilon = request.epsilon;
  if (request.protocol) {
    return make_plan(*request.protocol, request.periods, request.max_changes, epsilon);
  }
  const bool counts_all = request.gone_after == Period{0};
  return counts_all ? most_accurate_plan(request.periods, request.max_changes, epsilon)
                    : recommended_plan(request.periods, request.max_changes, epsilon);
}

Result<MetricDefinition> define(std::string_view name, const MetricRequest& request,
                                std::string text, Instant now) {
  if (!is_metric_name(name)) {
    return Error{"a metric's name is 1 to 64 letters, digits, '_', '-' or '.'"};
  }
  Result<Plan> plan = plan_of(request);
  if (!plan) return plan.error();
  const Result<Period> gone_after = gone_after_of(request, *plan);
  if (!gone_after) return gone_after.error();
  const bool can_be_capped = plan->protocol == Protocol::kInnovation && *gone_after > 0;
  if (request.transcript_cap.value_or(false) && !can_be_capped) {
    return Error{
        "metric: transcript_cap: what a device told is kept with innovation and gone_after only, "
        "and there is nothing to cap otherwise; expected no transcript_cap"};
  }
  return MetricDefinition{
      .name = std::string(name),
      .description = request.description,
      .plan = *std::move(plan),
      .manual_clock = request.manual_clock,
      .start = request.start.value_or(std::chrono::floor<std::chrono::seconds>(now)),
      .period_length = request.period_length,
      .grace = request.grace,
      .test = request.test,
      .max_devices = request.max_devices,
      .gone_after = *gone_after,
      .transcript_cap = request.transcript_cap.value_or(can_be_capped),
      .request = std::move(text)};
}

}  // namespace

std::string to_json(const MetricRequest& request) {
  Json body = {{"periods", request.periods},
               {"max_changes", request.max_changes},
               {"epsilon", request.epsilon.text()}};
  if (request.protocol) body["protocol"] = name_of(*request.protocol);
  if (request.manual_clock) body["clock"] = "manual";
  if (request.start) body["start"] = request.start->time_since_epoch().count();
  if (request.period_length.count() != 0) body["period_seconds"] = request.period_length.count();
  if (request.grace != 1) body["grace_periods"] = request.grace;
  if (request.test) body["test"] = true;
  if (request.max_devices != kDefaultMaxDevices) body["max_devices"] = request.max_devices;
  if (request.gone_after) body["gone_after"] = *request.gone_after;
  if (request.transcript_cap) body["transcript_cap"] = *request.transcript_cap;
  if (!request.description.empty()) body["description"] = request.description;
  return canonical(body);
}

Result<MetricDefinition> define_metric(std::string_view name, const MetricRequest& request,
                                       Instant now) {
  return define(name, request, to_json(request), now);
}

Result<MetricDefinition> define_metric(std::string_view name, std::string_view body, Instant now) {
  const Result<Json> parsed = parse_json_object(body, "the body");
  if (!parsed) return parsed.error();
  const Result<MetricRequest> request = read_request(*parsed);
  if (!request) return request.error();
  return define(name, *request, canonical(*parsed), now);
}

Result<MetricRequest> parse_metric_request(std::string_view body) {
  const Result<Json> parsed = parse_json_object(body, "the request");
  if (!parsed) return parsed.error();
  return read_request(*parsed);
}

}  // namespace futurerand
