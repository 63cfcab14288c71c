// A request and its answer as the API sees them: no sockets, so that the API is tested and fuzzed
// without any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace futurerand {

struct ApiRequest {
  std::string method;
  std::string target;  // path and query as they came
  std::string body;    // as it came: maybe compressed
  std::string authorization;
  std::string accept;
  std::string content_encoding;
  std::string accept_encoding;
  std::string if_none_match;
};

struct ApiResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// {"error":{"code":...,"message":...}}
ApiResponse error_response(int status, std::string_view code, std::string_view message);
// The same for what may succeed later.
ApiResponse retry_response(int status, std::string_view code, std::string_view message,
                           int retry_after_seconds);

// The target in parts: "/v1/metrics/a%20b?from=1" is {"v1", "metrics", "a b"} and {{"from", "1"}}.
struct Target {
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query;

  std::optional<std::string> find(std::string_view key) const;
};

// Nothing if it does not start with '/' or its percent signs are wrong.
std::optional<Target> parse_target(std::string_view target);

}  // namespace futurerand
