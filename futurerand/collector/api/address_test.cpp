#include "futurerand/collector/api/address.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

Address at(const char* text) { return *Address::parse(text); }

TEST(Address, IsReadOrRefused) {
  EXPECT_TRUE(at("127.0.0.1").is_loopback());
  EXPECT_TRUE(at("::1").is_loopback());
  EXPECT_TRUE(at("[::1]").is_loopback());
  EXPECT_FALSE(at("128.0.0.1").is_loopback());
  EXPECT_EQ(at("::ffff:192.0.2.1"), at("192.0.2.1"));
  EXPECT_EQ(at("2001:db8:1:2:3::4").network(), at("2001:db8:1:2::"));
  EXPECT_EQ(at("192.0.2.1").network(), at("192.0.2.1"));
  for (const char* wrong : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::g", "localhost", " 1.2.3.4",
                            "1.2.3.4/8", "[]", "[1.2.3.4"}) {
    EXPECT_FALSE(Address::parse(wrong)) << wrong;
  }
}

TEST(AddressRange, Contains) {
  const auto contains = [](const char* range, const char* address) {
    return AddressRange::parse(range)->contains(at(address));
  };
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(contains("10.1.2.128/25", "10.1.2.129"));
  EXPECT_FALSE(contains("10.1.2.128/25", "10.1.2.1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(contains("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(contains("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(contains("2001:db8::/32", "2001:db9::"));
  EXPECT_TRUE(contains("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(contains("192.0.2.7", "192.0.2.6"));
  for (const char* wrong : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "x/8"}) {
    EXPECT_FALSE(AddressRange::parse(wrong)) << wrong;
  }
}

TEST(Sender, IsWhoeverStandsBeforeOurProxies) {
  const std::vector<AddressRange> trusted = {*AddressRange::parse("10.0.0.0/8"),
                                             *AddressRange::parse("127.0.0.1")};
  const auto sender = [&](const char* peer, const char* forwarded) {
    return sender_of(at(peer), forwarded, trusted);
  };
  EXPECT_EQ(sender("192.0.2.1", ""), at("192.0.2.1"));
  // The header of an untrusted sender is ignored.
  EXPECT_EQ(sender("192.0.2.1", "198.51.100.1"), at("192.0.2.1"));
  EXPECT_EQ(sender("10.0.0.1", "198.51.100.1"), at("198.51.100.1"));
  EXPECT_EQ(sender("10.0.0.1", "203.0.113.9, 198.51.100.1"), at("198.51.100.1"));
  EXPECT_EQ(sender("10.0.0.1", "203.0.113.9,198.51.100.1 , 10.2.3.4"), at("198.51.100.1"));
  EXPECT_EQ(sender("127.0.0.1", "nonsense"), at("127.0.0.1"));
  EXPECT_EQ(sender("127.0.0.1", ""), at("127.0.0.1"));
  EXPECT_EQ(sender("10.0.0.1", ",,"), at("10.0.0.1"));
}

}  // namespace
}  // namespace futurerand
