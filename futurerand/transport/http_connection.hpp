// HttpConnection: requests to one server over one kept-alive connection, opened when it is needed.
// Small on purpose: plain HTTP/1.1 with Content-Length, as the collector speaks it. TLS is the
// business of a proxy next to the device or of the application's own transport.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// http://HOST[:PORT][/]
struct ServerAddress {
  std::string host;
  std::uint16_t port = 80;

  static Result<ServerAddress> parse(std::string_view url);
};

struct HttpReply {
  int status = 0;
  std::string body;
  int retry_after_seconds = 0;  // 0: not said
};

class HttpConnection {
 public:
  HttpConnection(ServerAddress server, std::chrono::milliseconds timeout)
      : server_(std::move(server)), timeout_(timeout) {}
  ~HttpConnection() { close(); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  HttpConnection(HttpConnection&& other) noexcept
      : server_(std::move(other.server_)),
        timeout_(other.timeout_),
        socket_(std::exchange(other.socket_, -1)),
        received_(std::move(other.received_)) {}

  // One attempt. An error means that nobody knows whether the server acted on the request.
  using Headers = std::vector<std::pair<std::string, std::string>>;
  Result<HttpReply> exchange(std::string_view method, std::string_view path, std::string_view body,
                             const Headers& headers = {});
  void close();

 private:
  Status open();
  Status send(std::string_view bytes);
  // Appends to received_; an error at the end of the stream.
  Status receive();
  Result<HttpReply> read_reply();

  ServerAddress server_;
  std::chrono::milliseconds timeout_;
  int socket_ = -1;
  std::string received_;
};

}  // namespace futurerand
