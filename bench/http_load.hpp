// A load of HTTP requests from one thread over many kept-alive connections, each with one request
// under way. To the collector it looks like a fleet behind a load balancer.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace futurerand::bench {

inline std::string post_request(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: b\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

class HttpLoad {
 public:
  HttpLoad(std::uint16_t port, unsigned connections) : epoll_(epoll_create1(0)) {
    for (unsigned i = 0; i < connections; ++i) {
      const int made = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (connect(made, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
        fail("connect");
      const int on = 1;
      setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      connections_.push_back({made, {}, {}});
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u32 = i;
      epoll_ctl(epoll_, EPOLL_CTL_ADD, made, &event);
    }
  }
  ~HttpLoad() {
    for (const Connection& connection : connections_) close(connection.socket);
    close(epoll_);
  }
  HttpLoad(const HttpLoad&) = delete;
  HttpLoad& operator=(const HttpLoad&) = delete;

  // This tells how long each answer took, in milliseconds.
  const std::vector<double>& milliseconds() const { return milliseconds_; }

  // Sends the texts of `next` until it gives null. Returns the number of answers with 200.
  std::uint64_t run(const std::function<const std::string*()>& next) {
    std::uint64_t ok = 0;
    unsigned busy = 0;
    for (Connection& connection : connections_) busy += start(connection, next) ? 1U : 0U;
    std::vector<epoll_event> events(connections_.size());
    while (busy > 0) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        Connection& connection = connections_[events[static_cast<std::size_t>(i)].data.u32];
        if (!receive(connection)) continue;
        ok += connection.received.starts_with("HTTP/1.1 200") ? 1U : 0U;
        milliseconds_.push_back(std::chrono::duration<double, std::milli>(
                                    std::chrono::steady_clock::now() - connection.sent)
                                    .count());
        connection.received.clear();
        if (!start(connection, next)) --busy;
      }
    }
    return ok;
  }

 private:
  struct Connection {
    int socket;
    std::string received;
    std::chrono::steady_clock::time_point sent{};
  };

  [[noreturn]] static void fail(const char* what) {
    std::perror(what);
    std::exit(1);
  }

  static bool start(Connection& connection, const std::function<const std::string*()>& next) {
    const std::string* request = next();
    if (request == nullptr) return false;
    connection.sent = std::chrono::steady_clock::now();
    std::string_view rest = *request;
    while (!rest.empty()) {
      const ssize_t sent = send(connection.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) fail("send");
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Returns true once the whole response is there.
  static bool receive(Connection& connection) {
    char bytes[16384];
    const ssize_t got = recv(connection.socket, bytes, sizeof(bytes), 0);
    if (got <= 0) fail("recv");
    connection.received.append(bytes, static_cast<std::size_t>(got));
    const std::size_t head = connection.received.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = connection.received.find(kLength);
    const auto length =
        std::strtoull(connection.received.c_str() + at + kLength.size(), nullptr, 10);
    return connection.received.size() >= head + 4 + length;
  }

  int epoll_;
  std::vector<Connection> connections_;
  std::vector<double> milliseconds_;
};

}  // namespace futurerand::bench
