#include "futurerand/transport/collector_calls.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace futurerand {
namespace {

using Json = nlohmann::json;

// {"error":{"code":...,"message":...}}, or whatever came instead.
Error refused(const HttpReply& reply) {
  const Json json = Json::parse(reply.body, nullptr, false);
  std::string message = "the collector answered " + std::to_string(reply.status);
  if (json.is_object() && json.contains("error") && json["error"].is_object() &&
      json["error"].contains("message") && json["error"]["message"].is_string()) {
    message += ": " + json["error"]["message"].get<std::string>();
  }
  return {message};
}

std::uint64_t count_at(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

Result<Delivery> read_delivery(const HttpReply& reply) {
  const Json json = Json::parse(reply.body, nullptr, false);
  if (!json.is_object() || !json.contains("accepted")) {
    return Error{"the collector's answer cannot be read"};
  }
  Delivery delivery{
      count_at(json, "accepted"), count_at(json, "duplicates"), count_at(json, "rejected"), {}};
  if (const auto errors = json.find("errors"); errors != json.end() && errors->is_array()) {
    for (const Json& error : *errors) {
      if (!error.is_object()) continue;
      const auto reason = error.find("reason");
      const bool named = reason != error.end() && reason->is_string();
      delivery.refusals.push_back({static_cast<std::uint32_t>(count_at(error, "line")),
                                   named ? reason->get<std::string>() : "",
                                   static_cast<std::uint32_t>(count_at(error, "expected"))});
    }
  }
  return delivery;
}

bool may_succeed_later(int status) { return status == 429 || status == 408 || status >= 500; }

}  // namespace

Result<PublishedMetric> fetch_metric(HttpConnection& connection, const std::string& name) {
  const Result<HttpReply> reply = connection.exchange("GET", "/v1/metrics/" + name, "");
  if (!reply) return reply.error();
  if (reply->status != 200) return refused(*reply);
  const Json json = Json::parse(reply->body, nullptr, false);
  const Error wrong{"the collector's description of '" + name + "' cannot be read"};
  if (!json.is_object() || !json.contains("plan") || !json["plan"].is_object()) return wrong;
  Result<Plan> plan = parse_plan(json["plan"].dump());
  if (!plan) return plan.error();
  PublishedMetric metric{name, *std::move(plan)};
  metric.manual_clock = json.value("clock", Json("wall")) == "manual";
  metric.current_period = static_cast<Period>(count_at(json, "current_period"));
  if (!metric.manual_clock) {
    metric.start = static_cast<std::int64_t>(count_at(json, "start"));
    metric.period_seconds = static_cast<std::int64_t>(count_at(json, "period_seconds"));
    if (metric.period_seconds == 0) return wrong;
  }
  return metric;
}

std::chrono::milliseconds RetryPolicy::delay(std::uint32_t attempt, std::uint64_t random) const {
  std::chrono::milliseconds most = first;
  for (std::uint32_t i = 1; i < attempt && most < longest; ++i) most *= 2;
  const auto range = static_cast<std::uint64_t>(std::min(most, longest).count()) + 1;
  return std::chrono::milliseconds(static_cast<std::int64_t>(random % range));
}

Result<Delivery> deliver(HttpConnection& connection, const std::string& name,
                         std::string_view lines, const RetryPolicy& policy,
                         const RetryTools& tools) {
  const std::string path = "/v1/metrics/" + name + "/reports";
  for (std::uint32_t attempt = 1;; ++attempt) {
    const Result<HttpReply> reply = connection.exchange("POST", path, lines);
    if (reply && reply->status == 200) return read_delivery(*reply);
    if (reply && !may_succeed_later(reply->status)) return refused(*reply);
    if (attempt >= policy.attempts) return reply ? refused(*reply) : reply.error();
    auto wait = policy.delay(attempt, tools.random());
    // The server's wish is the least; the jitter comes on top.
    if (reply) wait += std::chrono::seconds(std::clamp(reply->retry_after_seconds, 0, 60));
    tools.sleep(wait);
  }
}

}  // namespace futurerand
