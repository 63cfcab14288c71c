#include "futurerand/collector/writer/metric.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;  // sorts keys: dump() is canonical

constexpr std::uint32_t kMaxPeriodSeconds = 366 * 86'400;

Error wrong(const std::string& key, const std::string& expected) {
  return {"\"" + key + "\" is missing or wrong; expected " + expected};
}

Result<std::uint32_t> read_count(const Json& body, const char* key, std::uint64_t low,
                                 std::uint64_t high) {
  const auto at = body.find(key);
  if (at == body.end() || !at->is_number_unsigned() || at->get<std::uint64_t>() < low ||
      at->get<std::uint64_t>() > high) {
    return wrong(key, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return at->get<std::uint32_t>();
}

// Days since 1970-01-01 of the proleptic Gregorian calendar.
std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Unix seconds, or "2026-01-31T12:00:00Z" (also without the time).
Result<Milliseconds> read_start(const Json& value) {
  // Whole seconds: devices pin them.
  if (value.is_number() && value.get<double>() >= 1 && value.get<double>() < 1e11) {
    return static_cast<Milliseconds>(value.get<double>()) * 1000;
  }
  if (value.is_string()) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
    const auto& text = value.get_ref<const std::string&>();
    const int got = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day,
                                &hour, &minute, &second, &used);
    const bool whole = got == 6 && static_cast<std::size_t>(used) == text.size();
    const bool date = got == 3 && text.size() == 10;
    if ((whole || date) && year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
        hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60) {
      return (days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second) *
             1000;
    }
  }
  return wrong("start", "Unix seconds or a text such as \"2026-01-31T00:00:00Z\"");
}

Result<Epsilon> read_epsilon(const Json& body) {
  const auto at = body.find("epsilon");
  if (at == body.end()) return wrong("epsilon", "a decimal such as \"1\"");
  // Text is exact; a number is taken as the shortest decimal that means it.
  if (at->is_string()) return Epsilon::parse(at->get_ref<const std::string&>());
  if (!at->is_number()) return wrong("epsilon", "a decimal such as \"1\"");
  std::string text = at->dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return Epsilon::parse(text);
}

Result<Plan> read_plan_request(const Json& body) {
  const Result<std::uint32_t> periods = read_count(body, "periods", 1, kMaxPeriods);
  if (!periods) return periods.error();
  const Result<std::uint32_t> changes = read_count(body, "max_changes", 1, kMaxChanges);
  if (!changes) return changes.error();
  const Result<Epsilon> epsilon = read_epsilon(body);
  if (!epsilon) return epsilon.error();
  Protocol protocol = Protocol::kHybrid;
  if (const auto at = body.find("protocol"); at != body.end()) {
    std::string names;
    for (const Protocol known : kProtocols) {
      names += (names.empty() ? "" : ", ") + std::string(name_of(known));
    }
    const auto named = at->is_string() ? protocol_named(at->get_ref<const std::string&>())
                                       : std::optional<Protocol>();
    if (!named) return wrong("protocol", "one of " + names);
    protocol = *named;
  }
  return make_plan(protocol, *periods, *changes, *epsilon);
}

// Everything but the plan and a start that was not given.
Status read_rest(const Json& body, MetricDefinition& metric) {
  constexpr std::array kKeys = {"periods",       "max_changes", "epsilon",     "protocol",
                                "start",         "clock",       "description", "period_seconds",
                                "grace_periods", "test"};
  for (const auto& [key, value] : body.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      return Error{"\"" + key + "\" is not known here"};
    }
  }
  if (const auto at = body.find("clock"); at != body.end()) {
    if (*at != "manual" && *at != "wall") return wrong("clock", "\"wall\" or \"manual\"");
    metric.manual_clock = *at == "manual";
  }
  if (const auto at = body.find("start"); at != body.end()) {
    const Result<Milliseconds> start = read_start(*at);
    if (!start) return start.error();
    metric.start = *start;
  }
  if (const auto at = body.find("period_seconds"); at != body.end()) {
    const Result<std::uint32_t> seconds = read_count(body, "period_seconds", 1, kMaxPeriodSeconds);
    if (!seconds) return seconds.error();
    metric.period_length = Milliseconds{*seconds} * 1000;
  } else if (!metric.manual_clock) {
    return wrong("period_seconds", "the length of a period (or \"clock\":\"manual\")");
  }
  if (body.contains("grace_periods")) {
    const Result<std::uint32_t> grace = read_count(body, "grace_periods", 1, kMaxPeriods);
    if (!grace) return grace.error();
    metric.grace = *grace;
  }
  if (const auto at = body.find("test"); at != body.end()) {
    if (!at->is_boolean()) return wrong("test", "true or false");
    metric.test = at->get<bool>();
  }
  if (const auto at = body.find("description"); at != body.end()) {
    if (!at->is_string() || at->get_ref<const std::string&>().size() > 500) {
      return wrong("description", "a text of at most 500 bytes");
    }
    metric.description = at->get<std::string>();
  }
  return {};
}

}  // namespace

Period MetricDefinition::period_at(Milliseconds now, Period manual_period) const {
  if (manual_clock) return std::min(manual_period, closed_period());
  if (now < start) return 0;
  return static_cast<Period>(
      std::min<Milliseconds>((now - start) / period_length + 1, closed_period()));
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

Result<MetricDefinition> define_metric(std::string_view name, std::string_view body,
                                       Milliseconds now) {
  if (!is_metric_name(name)) {
    return Error{"a metric's name is 1 to 64 letters, digits, '_', '-' or '.'"};
  }
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return Error{"the body is not a JSON object"};
  Result<Plan> plan = read_plan_request(json);
  if (!plan) return plan.error();
  MetricDefinition metric{.name = std::string(name),
                          .description = {},
                          .plan = *std::move(plan),
                          .start = now - now % 1000,
                          .request = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (const Status read = read_rest(json, metric); !read) return read.error();
  return metric;
}

std::string to_text(const MetricDefinition& metric) {
  return Json{{"name", metric.name},
              {"request", metric.request},
              {"start_ms", metric.start},
              {"plan", to_json(metric.plan)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<MetricDefinition> metric_from_text(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const Error damaged{"not the definition of a metric"};
  if (!json.is_object()) return damaged;
  for (const char* key : {"name", "request", "plan"}) {
    if (!json.contains(key) || !json[key].is_string()) return damaged;
  }
  if (!json.contains("start_ms") || !json["start_ms"].is_number_integer()) return damaged;
  Result<Plan> plan = parse_plan(json["plan"].get_ref<const std::string&>());
  if (!plan) return plan.error();
  MetricDefinition metric{.name = json["name"].get<std::string>(),
                          .description = {},
                          .plan = *std::move(plan),
                          .request = json["request"].get<std::string>()};
  if (!is_metric_name(metric.name)) return damaged;
  const Json request = Json::parse(metric.request, nullptr, false);
  if (!request.is_object()) return damaged;
  if (const Status read = read_rest(request, metric); !read) return read.error();
  metric.start = json["start_ms"].get<Milliseconds>();
  return metric;
}

}  // namespace futurerand
