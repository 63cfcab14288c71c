// A request and its answer as the API sees them: no sockets, so that the API is tested and fuzzed
// without any.
#pragma once

#include <functional>
#include <memory>
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

using Respond = std::function<void(ApiResponse)>;

// A body that is sent piece by piece for as long as the reader stays.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  // What is to be sent now; empty if nothing is new. Expects to be asked a few times a second.
  virtual std::string next() = 0;
};

// What a server serves. All calls from any thread.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Answers exactly once: at once, or later from another thread.
  virtual void handle(ApiRequest request, Respond respond) = 0;
  // Not null if the request opens a stream of events; otherwise handle() has the answer.
  virtual std::unique_ptr<ResponseStream> open_events(const ApiRequest& request) = 0;
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
