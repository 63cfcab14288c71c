// ApiResponse: the answer to a request, whole or as a stream.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace futurerand {

// A body sent piece by piece while the reader stays.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  // Returns the next bytes to send, or none. It expects a few calls a second.
  virtual std::string next() = 0;
};

struct ApiResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<ResponseStream> stream = nullptr;  // server-sent events instead of the body
  // Makes the body just before the answer is sent, on the sending thread: the answering thread may
  // have no time for it. Empty: the body exists.
  std::function<std::string()> make_body = nullptr;

  // The connection waits for this time before it sends this. It slows down guesses.
  std::chrono::milliseconds delay{0};

  void finish() {
    if (make_body) body = make_body();
    make_body = nullptr;
  }
};

// Answers a request. Called exactly once: at once, or later from another thread.
using Respond = std::function<void(ApiResponse)>;

// Answers 200 with this document and a newline.
ApiResponse json_response(std::string document);
ApiResponse error_response(int status, std::string_view code, std::string_view message);
// The same for a result that may fail.
ApiResponse retry_response(int status, std::string_view code, std::string_view message,
                           int retry_after_seconds);

}  // namespace futurerand
