// HttpServer: HTTP/1.1 over TCP for a handler: keep-alive, pipelining, limits on everything that
// untrusted clients can make grow, and an orderly end. With an identity it speaks TLS, and nothing
// else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/collector/api/http_handler.hpp"
#include "futurerand/collector/http/limits.hpp"
#include "futurerand/collector/http/tls_identity.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;              // 0: any that is free
  std::optional<int> passed_socket = {};  // listens already: address and port do not count
  unsigned threads = 2;
  Limits limits;
  bool signals = false;                             // SIGTERM and SIGINT stop it, from listen() on
  std::vector<AddressRange> trusted_proxies;        // their X-Forwarded-For is accepted
  std::shared_ptr<TlsIdentity> tls = nullptr;       // null: plain HTTP
  std::function<void()> reload = nullptr;           // the action on SIGHUP, if any
  std::chrono::milliseconds drain_timeout{10'000};  // after stop(), for requests under way
};

class HttpServer {
 public:
  // Binds and listens. The handler outlives the server.
  static Result<std::unique_ptr<HttpServer>> listen(const ServerOptions& options,
                                                    HttpHandler& handler);
  ~HttpServer();

  std::uint16_t port() const;
  // Serves until stop() or a signal; returns when connections have ended.
  void run();
  // May be called from any thread: takes no more connections, finishes requests under way, closes
  // the rest.
  void stop();
  // Lines for GET /metrics. From any thread.
  std::string prometheus() const;

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace futurerand
