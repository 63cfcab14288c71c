// A collector's calls as text: GET a metric's document, and POST lines until they are answered. The
// collector counts each line once, so that repeating is safe.
//
// Thread safety: that of the connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/transport/http_connection.hpp"

namespace futurerand {

// GET /v1/metrics/{name}: its document.
Result<std::string> get_metric(HttpConnection& connection, const std::string& name);

// How long to wait before the next attempt: twice as long each time, and somewhere between nothing
// and that, so that a fleet that lost its server does not come back at one moment.
struct RetryPolicy {
  std::chrono::milliseconds first{200};
  std::chrono::milliseconds longest{60'000};
  std::uint32_t attempts = 10;

  // `random` uniform over all words. Attempts count from 1.
  std::chrono::milliseconds delay(std::uint32_t attempt, std::uint64_t random) const;
};

// Randomness and time are arguments.
struct RetryTools {
  std::function<std::uint64_t()> random;
  std::function<void(std::chrono::milliseconds)> sleep;
};

// Jitter of the system, and a sleep of the calling thread.
RetryTools system_retry_tools();

// POST to this path: the collector's answer. Goes on after lost connections and
// answers that ask for it (429, 5xx). Fails with kUnreachable after the last attempt. Fails at once
// with kUntrusted, kUnauthorized, kNotFound or kInvalid.
Result<std::string> post_lines_to(HttpConnection& connection, const std::string& path,
                                  std::string_view lines, const RetryPolicy& policy = {},
                                  const RetryTools& tools = system_retry_tools());
// The same, to /v1/metrics/{name}/reports.
Result<std::string> post_lines(HttpConnection& connection, const std::string& name,
                               std::string_view lines, const RetryPolicy& policy = {},
                               const RetryTools& tools = system_retry_tools());

// The lines of one metric, and what became of them.
struct MetricLines {
  std::string metric;
  std::string lines;  // as its client gave them
};
struct SentLines {
  std::string answer;  // the collector's, if there is no failure
  std::optional<Error> failure = {};
};

// POST /v1/reports: the lines of several metrics in one request, repeated as in post_lines. Returns
// what became of each, in this order. Fails as post_lines does if nobody knows.
Result<std::vector<SentLines>> post_all_lines(HttpConnection& connection,
                                              std::span<const MetricLines> all,
                                              const RetryPolicy& policy = {},
                                              const RetryTools& tools = system_retry_tools());

}  // namespace futurerand
