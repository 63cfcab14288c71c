// Servers that a device should not follow, believe or wait for: real ones, on the loopback.
#include "futurerand/transport/http_connection.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/transport/collector_calls.hpp"
#include "futurerand/transport/test/scripted_server.hpp"

namespace futurerand {
namespace {

using test::kNoWait;
using test::reply;
using test::ScriptedServer;
using test::write;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::string kAnswer = R"({"accepted":1,"duplicates":0,"rejected":0,"early":0,"errors":[]})";

TEST(HttpConnection, FollowsNoRedirect) {
  const ScriptedServer other(
      [](int socket) { write(socket, reply("200 OK", "", kAnswer.size()) + kAnswer); });
  for (const char* status :
       {"301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"}) {
    const ScriptedServer server([&](int socket) {
      write(
          socket,
          reply(status, "Location: http://127.0.0.1:" + std::to_string(other.port()) + "/\r\n", 0));
    });
    HttpConnection connection = server.connect();
    const Result<ReportAnswer> answer = deliver(connection, "m", "lines\n", {}, kNoWait);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUntrusted);
    const Result<PublishedMetric> metric = fetch_metric(connection, "m");
    ASSERT_FALSE(metric);
    EXPECT_EQ(metric.error().code, ErrorCode::kUntrusted);
    EXPECT_EQ(server.requests(), 2);
  }
  EXPECT_EQ(other.requests(), 0);
}

// Of an answer that is longer nothing is read.
TEST(HttpConnection, RefusesAnswersThatAreTooLong) {
  const auto delivered = [](std::size_t length) {
    const ScriptedServer server([&](int socket) {
      write(socket, reply("200 OK", "", length)) &&
          write(
              socket,
              kAnswer + std::string(std::min<std::size_t>(length, 2 << 20) - kAnswer.size(), ' '));
    });
    HttpConnection connection = server.connect();
    const Result<ReportAnswer> answer = deliver(connection, "m", "lines\n", {}, kNoWait);
    EXPECT_EQ(server.requests(), 1);  // it is not tried again
    return answer ? ErrorCode::kNotFound : answer.error().code;
  };
  EXPECT_EQ(delivered(1 << 20), ErrorCode::kNotFound);  // it was read
  EXPECT_EQ(delivered((1 << 20) + 1), ErrorCode::kUntrusted);
  EXPECT_EQ(delivered(std::size_t{1} << 40), ErrorCode::kUntrusted);

  const auto fetched = [](std::size_t length) {
    const ScriptedServer server([&](int socket) {
      write(socket, reply("200 OK", "", length)) && write(socket, std::string(length, ' '));
    });
    HttpConnection connection = server.connect();
    return fetch_metric(connection, "m").error().code;
  };
  EXPECT_EQ(fetched(8 << 20), ErrorCode::kUntrusted);  // it was read, and is no metric
  EXPECT_EQ(fetched((8 << 20) + 1), ErrorCode::kUntrusted);
}

// A status never makes a device give up: proxies and portals answer in place of collectors.
TEST(HttpConnection, EachStatusHasACodeAndNoneSaysGiveUp) {
  const std::pair<const char*, ErrorCode> cases[] = {
      {"401 Unauthorized", ErrorCode::kUnauthorized},
      {"403 Forbidden", ErrorCode::kUnauthorized},
      {"407 Proxy", ErrorCode::kUnauthorized},
      {"404 Not Found", ErrorCode::kNotFound},
      {"408 Timeout", ErrorCode::kUnreachable},
      {"429 Too Many", ErrorCode::kUnreachable},
      {"500 Error", ErrorCode::kUnreachable},
      {"503 Unavailable", ErrorCode::kUnreachable},
      {"511 Portal", ErrorCode::kUnreachable},
      {"400 Bad", ErrorCode::kInvalid},
      {"409 Conflict", ErrorCode::kInvalid},
      {"410 Gone", ErrorCode::kInvalid},
      {"204 Nothing", ErrorCode::kUntrusted},
      {"200 OK", ErrorCode::kUntrusted},  // a portal's page
  };
  for (const auto& [status, code] : cases) {
    const ScriptedServer server([&, answer = status](int socket) {
      const std::string page = "<html>log in</html>";
      write(socket, reply(answer, "", page.size()) + page);
    });
    HttpConnection connection = server.connect();
    const RetryPolicy twice{milliseconds(1), milliseconds(1), 2};
    const Result<ReportAnswer> sent = deliver(connection, "m", "lines\n", twice, kNoWait);
    const Result<PublishedMetric> metric = fetch_metric(connection, "m");
    ASSERT_FALSE(sent);
    ASSERT_FALSE(metric);
    EXPECT_EQ(sent.error().code, code) << status;
    EXPECT_EQ(metric.error().code, code) << status;
    EXPECT_NE(action_of(code), ErrorAction::kGiveUp);
    EXPECT_EQ(server.requests(), code == ErrorCode::kUnreachable ? 3 : 2) << status;
  }
  const ScriptedServer chatter([](int socket) { write(socket, "SSH-2.0-OpenSSH\r\n\r\n"); });
  HttpConnection connection = chatter.connect();
  EXPECT_EQ(fetch_metric(connection, "m").error().code, ErrorCode::kUntrusted);
}

// Each byte comes in time; all of them do not, whether of the headers or of the body.
TEST(HttpConnection, WaitsForAWholeAnswerOnlySoLong) {
  for (const std::string& head :
       {reply("200 OK", "", 1000), std::string("HTTP/1.1 200 OK\r\nX: ")}) {
    std::atomic<bool> ended = false;
    const ScriptedServer server([&](int socket) {
      write(socket, head);
      while (!ended && write(socket, "x")) std::this_thread::sleep_for(milliseconds(10));
    });
    HttpConnection connection = server.connect();
    const auto begin = steady_clock::now();
    const Result<HttpReply> answer =
        connection.exchange("GET", "/", "", {}, {1 << 20, milliseconds(200)});
    const auto took = steady_clock::now() - begin;
    ended = true;
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnreachable);
    EXPECT_GE(took, milliseconds(200));
    EXPECT_LT(took, milliseconds(4000));  // 1,000 bytes would take 10 s
  }
}

}  // namespace
}  // namespace futurerand
