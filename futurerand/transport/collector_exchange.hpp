// A collector's calls as text: GET a metric's document, and POST lines until answered. The
// collector counts each line once, so repeating is safe.
//
// Thread safety: that of the connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/transport/http_connection.hpp"

namespace futurerand {

// GET /v1/metrics/{name}: its document.
Result<std::string> get_metric(HttpConnection& connection, const std::string& name);

// Time before the next attempt: a random part of a limit that doubles with each attempt. So a fleet
// without its server does not return all at once.
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

// POST to this path; returns the collector's answer. Repeats after lost connections and after
// answers that ask for it (429, 5xx). Fails with kUnreachable after the last attempt. Fails at once
// with kUntrusted, kUnauthorized, kNotFound or kInvalid.
Result<std::string> post_lines_to(HttpConnection& connection, const std::string& path,
                                  std::string_view lines, const RetryPolicy& policy = {},
                                  const RetryTools& tools = system_retry_tools());
// The same, to /v1/metrics/{name}/reports.
Result<std::string> post_lines(HttpConnection& connection, const std::string& name,
                               std::string_view lines, const RetryPolicy& policy = {},
                               const RetryTools& tools = system_retry_tools());

}  // namespace futurerand
