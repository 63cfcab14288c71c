#include "futurerand/transport/collector_calls.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(ServerAddress, IsReadOrRefused) {
  const Result<ServerAddress> local = ServerAddress::parse("http://127.0.0.1:8080/");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->host, "127.0.0.1");
  EXPECT_EQ(local->port, 8080);
  EXPECT_EQ(ServerAddress::parse("http://example.org")->port, 80);
  EXPECT_EQ(ServerAddress::parse("http://[::1]:9")->host, "::1");
  EXPECT_FALSE(ServerAddress::parse("http://x:443")->tls);
  EXPECT_TRUE(ServerAddress::parse("https://x")->tls);
  EXPECT_EQ(ServerAddress::parse("https://x")->port, 443);
  EXPECT_EQ(ServerAddress::parse("https://x:8443/")->port, 8443);
  for (const char* wrong : {"", "127.0.0.1:80", "https://", "ftp://x", "http://", "http://x:0",
                            "http://x:y", "http://x:70000", "http://x/path", "http://u@x"}) {
    EXPECT_FALSE(ServerAddress::parse(wrong)) << wrong;
  }
}

TEST(RetryPolicy, WaitsLongerAndWithJitter) {
  const RetryPolicy policy{std::chrono::milliseconds(100), std::chrono::milliseconds(1000), 10};
  EXPECT_EQ(policy.delay(1, 0).count(), 0);
  EXPECT_EQ(policy.delay(1, 100).count(), 100);
  EXPECT_EQ(policy.delay(1, 101).count(), 0);
  EXPECT_EQ(policy.delay(3, 400).count(), 400);
  EXPECT_EQ(policy.delay(9, 1000).count(), 1000);
  EXPECT_EQ(policy.delay(1000, 1000).count(), 1000);
}

TEST(Deliver, GivesUpAfterItsAttempts) {
  // Nobody listens on port 1 of this machine.
  HttpConnection connection({"127.0.0.1", 1}, std::chrono::milliseconds(200));
  int slept = 0;
  const RetryTools tools{[] { return std::uint64_t{7}; },
                         [&](std::chrono::milliseconds) { ++slept; }};
  RetryPolicy policy;
  policy.attempts = 4;
  EXPECT_FALSE(deliver(connection, "m", "", policy, tools));
  EXPECT_EQ(slept, 3);
}

}  // namespace
}  // namespace futurerand
