#include "futurerand/core/coding/public_hash.hpp"

#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

// [AB12] appendix A and the first vectors of the authors' program: key 00..0f, input 00 01 02 ...
TEST(PublicHash, GivesThePublishedVectors) {
  const PublicKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  const auto of_length = [&](std::size_t length) {
    std::vector<std::uint8_t> bytes(length);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    return public_hash(key, bytes);
  };
  EXPECT_EQ(of_length(0), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(of_length(1), 0x74f839c593dc67fdU);
  EXPECT_EQ(of_length(8), 0x93f5f5799a932462U);
  EXPECT_EQ(of_length(15), 0xa129ca6149be45e5U);
}

TEST(PublicHash, KeysSpellTheirPurpose) {
  const auto spelled = [](PublicKey key) {
    char text[16];
    std::memcpy(text, &key, sizeof text);
    return std::string(text, sizeof text);
  };
  EXPECT_EQ(spelled(kRowKey), "futurerand: row ");
  EXPECT_EQ(spelled(kTextKey), "futurerand: text");
}

}  // namespace
}  // namespace futurerand
