#include "futurerand/transport/collector_exchange.hpp"

#include <algorithm>
#include <random>
#include <thread>

#include "futurerand/wire/error_answer.hpp"
#include "futurerand/wire/metric_sections.hpp"

namespace futurerand {
namespace {

// An answer lists a thousand errors at most.
constexpr ReplyLimits kAnswerLimits{1 << 20, std::chrono::seconds(60)};
constexpr ReplyLimits kDefinitionLimits{8 << 20, std::chrono::seconds(60)};

bool may_succeed_later(int status) { return status == 429 || status == 408 || status >= 500; }

// No status alone makes a device give up: proxies and portals answer in place of collectors.
ErrorCode code_of(int status) {
  if (may_succeed_later(status)) return ErrorCode::kUnreachable;
  if (status == 401 || status == 403 || status == 407) return ErrorCode::kUnauthorized;
  if (status == 404) return ErrorCode::kNotFound;
  return status >= 400 ? ErrorCode::kInvalid : ErrorCode::kUntrusted;
}

// A portal that asks for a password answers every request, with a page.
Error no_json() {
  return {"the answer is no JSON; expected a collector at this address", ErrorCode::kUntrusted};
}

Error refused(const HttpReply& reply) {
  const std::string message = "the collector answered " + std::to_string(reply.status);
  const Result<ErrorAnswer> answer = parse_error_answer(reply.body);
  return {answer ? message + ": " + answer->message : message, code_of(reply.status)};
}

}  // namespace

Result<std::string> get_metric(HttpConnection& connection, const std::string& name) {
  Result<HttpReply> reply =
      connection.exchange("GET", "/v1/metrics/" + name, "", {}, kDefinitionLimits);
  if (!reply) return reply.error();
  if (reply->status != 200) return refused(*reply);
  return reply->body.starts_with('{') ? Result<std::string>(std::move(reply->body)) : no_json();
}

std::chrono::milliseconds RetryPolicy::delay(std::uint32_t attempt, std::uint64_t random) const {
  std::chrono::milliseconds most = first;
  for (std::uint32_t i = 1; i < attempt && most < longest; ++i) most *= 2;
  const auto range = static_cast<std::uint64_t>(std::min(most, longest).count()) + 1;
  return std::chrono::milliseconds(static_cast<std::int64_t>(random % range));
}

RetryTools system_retry_tools() {
  return {[] { return std::uint64_t{std::random_device()()}; },
          [](std::chrono::milliseconds wait) { std::this_thread::sleep_for(wait); }};
}

Result<std::string> post_lines(HttpConnection& connection, const std::string& name,
                               std::string_view lines, const RetryPolicy& policy,
                               const RetryTools& tools) {
  return post_lines_to(connection, "/v1/metrics/" + name + "/reports", lines, policy, tools);
}

Result<std::string> post_lines_to(HttpConnection& connection, const std::string& path,
                                  std::string_view lines, const RetryPolicy& policy,
                                  const RetryTools& tools) {
  for (std::uint32_t attempt = 1;; ++attempt) {
    Result<HttpReply> reply = connection.exchange("POST", path, lines, {}, kAnswerLimits);
    if (reply && reply->status == 200) {
      return reply->body.starts_with('{') ? Result<std::string>(std::move(reply->body)) : no_json();
    }
    if (reply && !may_succeed_later(reply->status)) return refused(*reply);
    // Not the server that it should be: it will not be at the next attempt either.
    if (!reply && reply.error().code != ErrorCode::kUnreachable) return reply.error();
    if (attempt >= policy.attempts) return reply ? refused(*reply) : reply.error();
    auto wait = policy.delay(attempt, tools.random());
    // The server's wish is the least; the jitter comes on top.
    if (reply) wait += std::chrono::seconds(std::clamp(reply->retry_after_seconds, 0, 60));
    tools.sleep(wait);
  }
}

Result<std::vector<SentLines>> post_all_lines(HttpConnection& connection,
                                              std::span<const MetricLines> all,
                                              const RetryPolicy& policy, const RetryTools& tools) {
  std::string body;
  for (const MetricLines& each : all) body += section_line(each.metric) + each.lines;
  const Result<std::string> reply = post_lines_to(connection, "/v1/reports", body, policy, tools);
  if (!reply) return reply.error();
  Result<std::vector<SectionAnswer>> answers = parse_section_answers(*reply);
  const bool fits = answers && answers->size() == all.size() &&
                    std::equal(all.begin(), all.end(), answers->begin(),
                               [](const auto& a, const auto& b) { return a.metric == b.metric; });
  if (!fits) {
    return Error{"the answer is not to these metrics; expected a collector at this address",
                 ErrorCode::kUntrusted};
  }
  std::vector<SentLines> sent;
  for (SectionAnswer& answer : *answers) {
    if (answer.status == 200) {
      sent.push_back({std::move(answer.answer)});
    } else {
      sent.push_back({{}, refused(HttpReply{answer.status, std::move(answer.answer)})});
    }
  }
  return sent;
}

}  // namespace futurerand
