// HttpConnection: requests to one server over one kept-alive connection, opened on demand. It is
// deliberately small: HTTP/1.1 with Content-Length, over TLS (https://) or plain.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/transport/tls_stream.hpp"

namespace futurerand {

// A server, and the means of mutual trust.
struct ServerAddress {
  std::string host;
  std::uint16_t port = 80;
  bool tls = false;
  std::string ca_file = {};  // CA certificates to trust; empty: the system's
  std::string token = {};    // sent with every request; empty: none
  // http://[USER:PASSWORD@]HOST[:PORT]: the proxy to an HTTPS server; empty: none. It sees the
  // server's name and no content.
  std::string proxy = {};

  // http[s]://HOST[:PORT][/]. The proxy of an HTTPS server is $HTTPS_PROXY, unless $NO_PROXY names
  // the host (proxy.hpp).
  static Result<ServerAddress> parse(std::string_view url);
};

// The limits of a reply. A server that sends more, or slower, is an error.
struct ReplyLimits {
  std::size_t bytes = std::size_t{1} << 30;              // of its body
  std::optional<std::chrono::milliseconds> within = {};  // of the request being sent, all of it
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
        trust_(std::move(other.trust_)),
        socket_(std::exchange(other.socket_, -1)),
        tls_(std::exchange(other.tls_, std::nullopt)),
        received_(std::move(other.received_)) {}

  // One attempt. Redirects are ordinary replies and are not followed. After an error it is unknown
  // whether the server acted on the request. kUntrusted means another server: its certificate is
  // not trusted, or its reply is too long or not HTTP.
  using Headers = std::vector<std::pair<std::string, std::string>>;
  Result<HttpReply> exchange(std::string_view method, std::string_view path, std::string_view body,
                             const Headers& headers = {}, const ReplyLimits& limits = {});
  void close();

 private:
  Status open();
  Status connect_to(const std::string& host, std::uint16_t port);
  // Asks the proxy for a tunnel.
  Status tunnel(const std::string& authorization);
  Status secure();
  Status send(std::string_view bytes);
  // Appends to received_. Fails at the end of the stream and after the deadline.
  Status receive(Deadline deadline);
  Result<HttpReply> read_reply(const ReplyLimits& limits);

  ServerAddress server_;
  std::chrono::milliseconds timeout_;
  std::optional<TlsTrust> trust_;  // read once, when it is needed
  int socket_ = -1;
  std::optional<TlsStream> tls_;
  std::string received_;
};

}  // namespace futurerand
