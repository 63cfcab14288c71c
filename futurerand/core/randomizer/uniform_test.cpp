#include "futurerand/core/randomizer/uniform.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/test/chi_square.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

using test::ScriptedSource;
using test::SeededSource;

// Every first byte comes once: each value must come from equally many of them, and the rest be
// rejected.
template <typename Bound>
void expect_uniform_below(std::uint32_t bound) {
  std::vector<int> hits(bound);
  int rejected = 0;
  for (std::uint64_t word = 0; word < 256; ++word) {
    ScriptedSource source({word | 0xabcd00, 0});
    UniformBits bits(source);
    const auto value = static_cast<std::uint32_t>(bits.below(Bound(bound)));
    ASSERT_LT(value, bound);
    ASSERT_FALSE(bits.failed());
    if (source.words_given() == 1) {
      ++hits[value];
    } else {
      ++rejected;
      EXPECT_EQ(value, 0U);  // this is the second word's
    }
  }
  for (const int count : hits) EXPECT_EQ(count, hits[0]) << bound;
  EXPECT_EQ(hits[0] * static_cast<int>(bound) + rejected, 256);
  EXPECT_LE(rejected, 128) << "more than half is rejected for " << bound;
}

TEST(UniformBelow, IsExactForSmallBounds) {
  for (std::uint32_t bound = 1; bound <= 128; ++bound) expect_uniform_below<std::uint32_t>(bound);
  for (std::uint32_t bound = 1; bound <= 127; ++bound) expect_uniform_below<BigInt>(bound);
}

TEST(UniformBelow, BigBoundsUseAsManyBitsAsTheyHave) {
  const auto draw = [](const BigInt& bound, std::vector<std::uint64_t> script) {
    ScriptedSource source(std::move(script));
    UniformBits bits(source);
    const BigInt value = bits.below(bound);
    EXPECT_FALSE(bits.failed());
    return value;
  };
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  EXPECT_EQ(draw(two_to(64), {7, 0}), 7);
  EXPECT_EQ(draw(two_to(64), {7, 1, 8, 2}),
            8);  // 2^64 + 7 is rejected; bits above the 65th are not
  EXPECT_EQ(draw(two_to(64) + 1, {0, 1}), two_to(64));
  EXPECT_EQ(draw(two_to(128) - 1, {kAll, kAll, 3, 1}), two_to(64) + 3);
  EXPECT_EQ(draw(two_to(64) - 1, {kAll, 5}), 5);
}

TEST(UniformBelow, LargeBoundsAreUniform) {
  SeededSource source(1);
  UniformBits bits(source);
  constexpr std::uint32_t kBound = (1U << 31) + 12345;  // half of the words are rejected
  std::vector<std::uint64_t> observed(50);
  for (int i = 0; i < 100'000; ++i) {
    ++observed[std::uint64_t{bits.below(kBound)} * observed.size() / kBound];
  }
  const std::vector<double> probabilities(observed.size(), 1.0 / 50);
  EXPECT_GT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm);
}

// Lane l compares a 64-bit number: its bits, from the top, are bit l of each word.
TEST(BiasedWord, IsTheComparisonOfEachLaneWithTheThreshold) {
  SeededSource random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> script(64);
    std::uint64_t threshold_and_lanes[2];
    ASSERT_TRUE(random.fill(script) && random.fill(threshold_and_lanes));
    auto [threshold, lanes] = threshold_and_lanes;
    if (round % 5 == 0) threshold = std::uint64_t{1} << (round / 5 % 64);
    if (round % 5 == 1) threshold = (std::uint64_t{1} << (round / 5 % 64)) - 1;
    if (round % 2 == 0) {
      // Lane 3 equals the threshold and lane 4 is one below it, so both are decided at the very
      // last word.
      for (int bit = 0; bit < 64; ++bit) {
        std::uint64_t& word = script[static_cast<std::size_t>(63 - bit)];
        word &= ~std::uint64_t{24};
        word |= ((threshold >> bit) & 1U) << 3 | (((threshold - 1) >> bit) & 1U) << 4;
      }
      lanes |= 24;
    }
    std::uint64_t expected = 0;
    for (int lane = 0; lane < 64; ++lane) {
      std::uint64_t uniform = 0;
      for (const std::uint64_t word : script) uniform = uniform << 1 | ((word >> lane) & 1U);
      if (uniform < threshold) expected |= std::uint64_t{1} << lane;
    }
    ScriptedSource source(script);
    UniformBits bits(source);
    EXPECT_EQ(bits.biased_word(threshold, lanes), expected & lanes) << threshold;
    EXPECT_FALSE(bits.failed());
  }
}

TEST(BiasedWord, TakesFewWords) {
  SeededSource source(3);
  UniformBits bits(source);
  for (int i = 0; i < 1000; ++i) bits.biased_word(0x0123456789abcdef, ~std::uint64_t{0});
  EXPECT_LT(source.words_given(), 10'000U);
}

TEST(UniformBits, AFailedSourceEndsEveryDraw) {
  ScriptedSource source({});
  UniformBits bits(source);
  EXPECT_FALSE(bits.failed());
  EXPECT_EQ(bits.word(), 0U);
  EXPECT_TRUE(bits.failed());
  EXPECT_EQ(bits.below(5U), 0U);
  EXPECT_EQ(bits.below(two_to(200) + 1), 0);
  bits.biased_word(12345, ~std::uint64_t{0});
  EXPECT_TRUE(bits.failed());
}

// This tests the test: known quantiles, and a counterfeit coin.
TEST(ChiSquare, TailAndPValue) {
  EXPECT_NEAR(test::chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
  EXPECT_NEAR(test::chi_square_tail(5.991464547107979, 2), 0.05, 1e-12);
  EXPECT_NEAR(test::chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
  EXPECT_NEAR(test::chi_square_tail(24.99579013972863, 15), 0.05, 1e-12);
  const std::vector<std::uint64_t> observed = {50'000, 51'500};
  const std::vector<double> fair = {0.5, 0.5};
  const std::vector<double> right = {50'000.0 / 101'500, 51'500.0 / 101'500};
  EXPECT_LT(test::chi_square_p_value(observed, fair), 1e-5);
  EXPECT_NEAR(test::chi_square_p_value(observed, right), 1, 1e-9);
  const std::vector<double> impossible = {1, 0};
  EXPECT_EQ(test::chi_square_p_value(observed, impossible), 0);
}

}  // namespace
}  // namespace futurerand
