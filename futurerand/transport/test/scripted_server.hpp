// A server on the loopback that answers as a test says.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "futurerand/transport/collector_exchange.hpp"

namespace futurerand::test {

// Reads a request, and lets `answer` write to the connection; one after another until it is
// destroyed.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<void(int)> answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  HttpConnection connect() const { return {{"127.0.0.1", port_}, std::chrono::milliseconds(5000)}; }
  std::uint16_t port() const { return port_; }
  int requests() const { return requests_; }
  // The bodies of all requests, in their order.
  std::vector<std::string> bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

 private:
  void run() {
    for (int made; (made = accept(listener_, nullptr, nullptr)) >= 0; close(made)) {
      std::string request;
      char bytes[4096];
      for (ssize_t got = 1; got > 0 && request.find("\r\n\r\n") == request.npos;) {
        got = recv(made, bytes, sizeof bytes, 0);
        if (got > 0) request.append(bytes, static_cast<std::size_t>(got));
      }
      if (request.empty()) continue;
      read_body(made, request);
      ++requests_;
      answer_(made);
    }
  }

  void read_body(int made, std::string& request) {
    const std::size_t at = request.find("Content-Length: ");
    std::string body = request.substr(request.find("\r\n\r\n") + 4);
    std::size_t left = at == request.npos ? 0 : std::stoul(request.substr(at + 16)) - body.size();
    char bytes[4096];
    while (left > 0) {
      const ssize_t got = recv(made, bytes, std::min(sizeof bytes, left), 0);
      if (got <= 0) break;
      body.append(bytes, static_cast<std::size_t>(got));
      left -= static_cast<std::size_t>(got);
    }
    const std::lock_guard lock(mutex_);
    bodies_.push_back(std::move(body));
  }

  std::mutex mutex_;
  std::vector<std::string> bodies_;
  std::function<void(int)> answer_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> requests_ = 0;
  std::thread thread_;
};

inline bool write(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

inline std::string reply(const std::string& status, const std::string& headers,
                         std::size_t length) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\n" + headers +
         "Connection: close\r\n\r\n";
}

// Attempts follow each other at once.
inline const RetryTools kNoWait{[] { return std::uint64_t{0}; }, [](std::chrono::milliseconds) {}};

}  // namespace futurerand::test
