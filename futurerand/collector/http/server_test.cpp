// The server with handlers that answer late, from other threads, or never. Also runs under the
// thread sanitizer. tests/collector/ runs the whole service.
#include "futurerand/collector/http/server.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace futurerand {
namespace {

// Answers from a thread of its own, a little later.
class Late final : public HttpHandler {
 public:
  ~Late() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void handle(ApiRequest request, Respond respond) override {
    if (request.target == "/now") return respond({200, "text/plain", request.body});
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([request = std::move(request), respond = std::move(respond)] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      respond({200, "text/plain", "late " + request.body});
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() : ServerTest(Limits{}) {}
  explicit ServerTest(const Limits& limits) {
    ServerOptions options;
    options.port = 0;
    options.limits = limits;
    options.threads = 2;
    options.drain_timeout = std::chrono::milliseconds(2000);
    Result<std::unique_ptr<HttpServer>> server = HttpServer::listen(options, handler_);
    if (!server) std::abort();
    server_ = *std::move(server);
    port_ = server_->port();
    thread_ = std::thread([this] { server_->run(); });
  }
  ~ServerTest() override { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }

  int connect_now() const {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(made, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return made;
  }
  // Everything until the server closes.
  static std::string read_all(int socket) {
    std::string all;
    char bytes[4096];
    for (ssize_t got = 0; (got = recv(socket, bytes, sizeof(bytes), 0)) > 0;) {
      all.append(bytes, static_cast<std::size_t>(got));
    }
    close(socket);
    return all;
  }
  static std::string post(const std::string& target, const std::string& body, bool last) {
    return "POST " + target + " HTTP/1.1\r\nHost: x\r\n" + (last ? "Connection: close\r\n" : "") +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  Late handler_;
  std::unique_ptr<HttpServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  const int socket = connect_now();
  const std::string all =
      post("/later", "one", false) + post("/now", "two", false) + post("/later", "three", true);
  ASSERT_EQ(send(socket, all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
  const std::string answers = read_all(socket);
  EXPECT_EQ(count(answers, "HTTP/1.1 200 OK"), 3U);
  EXPECT_LT(answers.find("late one"), answers.find("two"));
  EXPECT_LT(answers.find("two"), answers.find("late three"));
}

TEST_F(ServerTest, ManyConnectionsAtOnce) {
  std::vector<std::thread> clients;
  std::atomic<int> ok = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      for (int j = 0; j < 10; ++j) {
        const int socket = connect_now();
        const std::string request = post(j % 2 == 0 ? "/now" : "/later", "hello", true);
        EXPECT_EQ(send(socket, request.data(), request.size(), 0),
                  static_cast<ssize_t>(request.size()));
        if (read_all(socket).find("hello") != std::string::npos) ++ok;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(ok, 80);
  EXPECT_NE(server_->prometheus().find("futurerand_requests_total{status=\"2xx\"} 80"),
            std::string::npos);
}

TEST_F(ServerTest, StopFinishesWhatIsUnderWay) {
  const int idle = connect_now();
  const int busy = connect_now();
  const std::string request = post("/later", "still", false);
  ASSERT_EQ(send(busy, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::thread stopper([this] { stop(); });
  EXPECT_NE(read_all(busy).find("late still"), std::string::npos);
  EXPECT_EQ(read_all(idle), "");
  stopper.join();
}

// The limits are short for the test, and a thousand times the time of sending.
class SlowSenderTest : public ServerTest {
 protected:
  SlowSenderTest() : ServerTest(short_limits()) {}
  static Limits short_limits() {
    Limits limits;
    limits.header_timeout = limits.body_timeout = limits.stall_timeout =
        std::chrono::milliseconds(1000);
    return limits;
  }
};

TEST_F(SlowSenderTest, IsTold408) {
  const std::string head = "POST /now HTTP/1.1\r\nHost: x\r\n";
  std::vector<int> sockets;
  for (const std::string& begin :
       {std::string("GET /now HTT"), head, head + "Content-Length: 9\r\n\r\n",
        head + "Content-Length: 9\r\n\r\nab", head + "Transfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
    sockets.push_back(connect_now());
    ASSERT_EQ(send(sockets.back(), begin.data(), begin.size(), 0),
              static_cast<ssize_t>(begin.size()));
  }
  for (const int socket : sockets) EXPECT_EQ(read_all(socket).find("HTTP/1.1 408"), 0U);
}

TEST_F(SlowSenderTest, MayWaitBetweenRequests) {
  const int socket = connect_now();
  for (const bool last : {false, true}) {
    const std::string request = post("/now", "in time", last);
    ASSERT_EQ(send(socket, request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    if (!last) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  const std::string answers = read_all(socket);
  EXPECT_EQ(count(answers, "HTTP/1.1 200 OK"), 2U);
  EXPECT_EQ(count(answers, "408"), 0U);
}

TEST_F(ServerTest, APortInUseIsSaid) {
  ServerOptions options;
  options.port = port_;
  const Result<std::unique_ptr<HttpServer>> second = HttpServer::listen(options, handler_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("in use"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
