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

// A body that is sent piece by piece for as long as the reader stays.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  // Returns what is to be sent now; empty if nothing is new. It expects to be called a few times a
  // second.
  virtual std::string next() = 0;
};

struct ApiResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<ResponseStream> stream = nullptr;  // server-sent events instead of the body
  // Makes the body when the answer is about to be sent, on the thread that sends it: whoever
  // answers may have no time for that. Empty: the body is there.
  std::function<std::string()> make_body = nullptr;

  // The connection waits for so long before it sends this. It is for answers to guesses.
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
// Answers the same for what may succeed later.
ApiResponse retry_response(int status, std::string_view code, std::string_view message,
                           int retry_after_seconds);

}  // namespace futurerand
