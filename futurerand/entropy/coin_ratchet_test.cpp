#include "futurerand/entropy/coin_ratchet.hpp"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

std::array<std::uint8_t, 32> test_key() {
  std::array<std::uint8_t, 32> key;
  for (std::uint8_t i = 0; i < 32; ++i) key[i] = i;
  return key;
}

std::vector<std::uint64_t> draw(CoinRatchet& ratchet, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  EXPECT_TRUE(ratchet.fill(words));
  return words;
}

// Saved states must give the same coins for ever. The bytes come from an independent ChaCha20 (key
// 00 01 .. 1f, zero nonce, block 0; then its first half as the key).
TEST(CoinRatchet, CoinsAreFixedByTheKey) {
  CoinRatchet ratchet(test_key());
  EXPECT_EQ(draw(ratchet, 5),
            (std::vector<std::uint64_t>{0xab2360a2e7cc232b, 0x647fc83a69ef0e3f, 0x2da3f7b1ea358225,
                                        0x0c415b48a06227c2, 0x8e1ae4909ca5412d}));
}

TEST(CoinRatchet, AnOldStateGivesTheSameCoins) {
  CoinRatchet ratchet(test_key());
  for (std::size_t drawn = 0; drawn < 20; ++drawn) {
    CoinRatchet again(ratchet.state());
    CoinRatchet ahead(ratchet);
    EXPECT_EQ(draw(again, 9), draw(ahead, 9));
    draw(ratchet, 1);
  }
}

TEST(CoinRatchet, RunsOfAnyLengthAreTheSameCoins) {
  CoinRatchet whole(test_key());
  CoinRatchet pieces(test_key());
  const std::vector<std::uint64_t> all = draw(whole, 30);
  std::vector<std::uint64_t> joined;
  for (const std::size_t count : {1U, 2U, 0U, 5U, 4U, 7U, 11U}) {
    for (const std::uint64_t word : draw(pieces, count)) joined.push_back(word);
  }
  EXPECT_EQ(joined, all);
  EXPECT_EQ(whole.state(), pieces.state());
}

TEST(CoinRatchet, UsedCoinsAndOldKeysAreGone) {
  CoinRatchet ratchet(test_key());
  const std::vector<std::uint64_t> used = draw(ratchet, 3);
  EXPECT_NE(ratchet.state().key, test_key());
  EXPECT_EQ(ratchet.state().words_left, 1U);
  for (std::size_t w = 0; w < 3; ++w) EXPECT_EQ(ratchet.state().words[w], 0U);
}

// 64,000 coins: the number of ones is within 6 standard deviations (126 each) of half. By chance
// this fails for two keys in a billion; this key is fixed.
TEST(CoinRatchet, CoinsAreFair) {
  CoinRatchet ratchet(test_key());
  int ones = 0;
  for (const std::uint64_t word : draw(ratchet, 1000)) ones += std::popcount(word);
  EXPECT_NEAR(ones, 32'000, 759);
}

}  // namespace
}  // namespace futurerand
