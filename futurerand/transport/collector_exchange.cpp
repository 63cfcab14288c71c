#include "futurerand/transport/collector_exchange.hpp"

#include <algorithm>
#include <random>
#include <thread>

#include "futurerand/wire/error_answer.hpp"

namespace futurerand {
namespace {

// An answer lists a thousand errors at most.
constexpr ReplyLimits kAnswerLimits{1 << 20, std::chrono::seconds(60)};
constexpr ReplyLimits kDefinitionLimits{8 << 20, std::chrono::seconds(60)};

// A portal that asks for a password answers every request, with a page.
Error no_json() {
  return {"the answer is no JSON; expected a collector at this address", ErrorCode::kUntrusted};
}

}  // namespace

Result<std::string> get_metric(HttpConnection& connection, const std::string& name) {
  Result<HttpReply> reply =
      connection.exchange("GET", "/v1/metrics/" + name, "", {}, kDefinitionLimits);
  if (!reply) return reply.error();
  if (reply->status != 200) return error_of_status(reply->status, reply->body);
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
    if (reply && !may_succeed_later(reply->status))
      return error_of_status(reply->status, reply->body);
    // Not the server that it should be: it will not be at the next attempt either.
    if (!reply && reply.error().code != ErrorCode::kUnreachable) return reply.error();
    if (attempt >= policy.attempts)
      return reply ? error_of_status(reply->status, reply->body) : reply.error();
    auto wait = policy.delay(attempt, tools.random());
    // The server's wish is the least; the jitter comes on top.
    if (reply) wait += std::chrono::seconds(std::clamp(reply->retry_after_seconds, 0, 60));
    tools.sleep(wait);
  }
}

}  // namespace futurerand
