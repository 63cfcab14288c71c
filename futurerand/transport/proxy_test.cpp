#include "futurerand/transport/proxy.hpp"

#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Proxy, AddressesAreRead) {
  const auto read = [](const char* url) {
    const Result<ProxyAddress> proxy = ProxyAddress::parse(url);
    return proxy ? proxy->host + " " + std::to_string(proxy->port) + " " + proxy->authorization
                 : "refused";
  };
  EXPECT_EQ(read("http://proxy:3128/"), "proxy 3128 ");
  EXPECT_EQ(read("proxy.example"), "proxy.example 1080 ");
  EXPECT_EQ(read("http://[::1]:8080"), "::1 8080 ");
  EXPECT_EQ(read("http://Aladdin:open sesame@proxy:80"), "proxy 80 QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(read("a:b@c"), "c 1080 YTpi");
  for (const char* wrong : {"", "http://", "https://proxy", "socks5://proxy:1", "proxy:0",
                            "proxy:x", "proxy:99999", "http://pro xy", "proxy/path"}) {
    EXPECT_EQ(read(wrong), "refused") << wrong;
  }
  EXPECT_EQ(ProxyAddress::parse("socks5://me:secret@proxy").error().message.find("secret"),
            std::string::npos);
}

TEST(Proxy, ExceptionsNameHostsAndTheirDomains) {
  EXPECT_TRUE(is_excepted("a.example.com", "x, example.com"));
  EXPECT_TRUE(is_excepted("A.Example.com", ".EXAMPLE.com"));
  EXPECT_TRUE(is_excepted("example.com", ".example.com"));
  EXPECT_TRUE(is_excepted("10.0.0.1", "10.0.0.1"));
  EXPECT_TRUE(is_excepted("anything", "*"));
  EXPECT_FALSE(is_excepted("badexample.com", "example.com"));
  EXPECT_FALSE(is_excepted("example.com", "a.example.com,,"));
  EXPECT_FALSE(is_excepted("example.com", ""));
}

}  // namespace
}  // namespace futurerand
