#include "futurerand/collector/api/gate.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

Gate::Verdict judge(const GateOptions& options, const std::string& host,
                    const std::string& origin) {
  return Gate(options).judge({.host = host, .origin = origin});
}

TEST(Gate, HostsAreCheckedIfThereIsAList) {
  EXPECT_EQ(judge({}, "anything:80", ""), Gate::Verdict::kEnter);
  const GateOptions listed{{"example.org", "[::1]"}, {}};
  EXPECT_EQ(judge(listed, "example.org", ""), Gate::Verdict::kEnter);
  EXPECT_EQ(judge(listed, "Example.ORG:8080", ""), Gate::Verdict::kEnter);
  EXPECT_EQ(judge(listed, "[::1]:8080", ""), Gate::Verdict::kEnter);
  EXPECT_EQ(judge(listed, "[::1]", ""), Gate::Verdict::kEnter);
  for (const char* host : {"", "example.org.evil.test", "evil.test", "127.0.0.1", "[::2]"}) {
    EXPECT_EQ(judge(listed, host, ""), Gate::Verdict::kWrongHost) << host;
  }
}

TEST(Gate, ForeignOriginsAreRefusedUnlessListed) {
  EXPECT_EQ(judge({}, "a.test:80", "http://a.test:80"), Gate::Verdict::kEnter);
  EXPECT_EQ(judge({}, "a.test", "https://a.test"), Gate::Verdict::kEnter);
  for (const char* origin : {"http://b.test", "null", "http://a.test:81", "a.test", "http://",
                             "http://evil.test/a.test", "http://x@a.test", "file://a.test"}) {
    EXPECT_EQ(judge({}, "a.test", origin), Gate::Verdict::kWrongOrigin) << origin;
  }
  const GateOptions listed{{}, {"https://b.test"}};
  EXPECT_EQ(judge(listed, "a.test", "https://b.test"), Gate::Verdict::kEnter);
  EXPECT_EQ(judge(listed, "a.test", "http://b.test"), Gate::Verdict::kWrongOrigin);
}

TEST(Gate, ABrowserIsToldWhatItMay) {
  const Gate gate({{}, {"https://b.test"}});
  ApiRequest request{.method = "OPTIONS", .origin = "https://b.test", .requested_method = "POST"};
  const auto answer = gate.preflight(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 204);
  ApiResponse response;
  gate.allow(request, response);
  EXPECT_EQ(response.headers[1].second, "https://b.test");
  request.origin = "https://c.test";
  EXPECT_FALSE(gate.preflight(request));
  ApiResponse other;
  gate.allow(request, other);
  EXPECT_EQ(other.headers.size(), 1U);  // Vary only
}

}  // namespace
}  // namespace futurerand
