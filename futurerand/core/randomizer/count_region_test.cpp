#include "futurerand/core/randomizer/count_region.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/test/chi_square.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

using test::SeededSource;

void expect_uniform(std::uint32_t k, CountSet counts, bool by_rejection) {
  const CountRegion region(k, counts);
  EXPECT_EQ(region.by_rejection(), by_rejection) << k;
  std::vector<double> probabilities(std::size_t{1} << k);
  double vectors = 0;
  for (std::size_t b = 0; b < probabilities.size(); ++b) {
    const bool inside = counts.contains(static_cast<std::uint32_t>(std::popcount(b)));
    probabilities[b] = inside ? 1 : 0;
    vectors += probabilities[b];
  }
  for (double& p : probabilities) p /= vectors;

  SeededSource source(k);
  UniformBits bits(source);
  std::vector<std::uint64_t> observed(probabilities.size());
  SignVector signs(k);
  for (int i = 0; i < 200 * vectors; ++i) {
    region.draw(bits, signs);
    ++observed[signs.word(0)];
  }
  EXPECT_GT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm)
      << k << " [" << counts.first << ", " << counts.last << "] " << counts.complement;
}

TEST(CountRegion, RejectionIsUniform) {
  expect_uniform(1, {0, 0}, true);
  expect_uniform(4, {0, 1}, true);
  expect_uniform(4, {1, 3, true}, true);
  expect_uniform(7, {0, 7}, true);
  expect_uniform(10, {2, 4}, true);
  expect_uniform(14, {2, 12, true}, true);  // 30 vectors of 16384
}

TEST(CountRegion, ExactCountsAreUniform) {
  expect_uniform(12, {12, 12}, false);
  expect_uniform(14, {0, 1}, false);
  expect_uniform(14, {13, 14}, false);
  expect_uniform(20, {3, 19, true}, false);  // 0, 1, 2 and 20 minus signs
}

TEST(CountRegion, LongVectorsHaveTheCountsOfTheirWeights) {
  constexpr std::uint32_t kSigns = 130;
  const CountSet counts{21, 128, true};
  const CountRegion region(kSigns, counts);
  ASSERT_FALSE(region.by_rejection());
  BigInt vectors;
  for (std::uint32_t i = 0; i <= kSigns; ++i) {
    if (counts.contains(i)) vectors += binomial(kSigns, i);
  }
  std::vector<double> probabilities(kSigns + 1);
  for (std::uint32_t i = 0; i <= kSigns; ++i) {
    if (counts.contains(i)) probabilities[i] = to_double({binomial(kSigns, i), vectors});
  }
  SeededSource source(4);
  UniformBits bits(source);
  std::vector<std::uint64_t> observed(kSigns + 1), minus_at(kSigns);
  std::uint64_t all_minus = 0;
  SignVector signs(kSigns);
  for (int i = 0; i < 50'000; ++i) {
    region.draw(bits, signs);
    ++observed[signs.count_minus()];
    all_minus += signs.count_minus();
    for (std::uint32_t j = 0; j < kSigns; ++j) minus_at[j] += std::uint64_t{signs.is_minus(j)};
  }
  EXPECT_GT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm);
  // No position is preferred. Positions of one vector exclude each other a little. This only makes
  // the statistic smaller.
  const std::vector<double> even(kSigns, 1.0 / kSigns);
  EXPECT_GT(test::chi_square_p_value(minus_at, even), test::kFalseAlarm);
  EXPECT_GT(all_minus, 0U);
}

TEST(CountRegion, TinyRegionsTakeFewWords) {
  for (const CountSet counts : {CountSet{0, 3}, CountSet{4, 4096, true}, CountSet{4095, 4096},
                                CountSet{1, 4095, true}, CountSet{0, 0}}) {
    const CountRegion region(4096, counts);
    EXPECT_FALSE(region.by_rejection());
    SeededSource source(5);
    UniformBits bits(source);
    SignVector signs(4096);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t before = source.words_given();
      region.draw(bits, signs);
      ASSERT_TRUE(counts.contains(signs.count_minus()));
      // A candidate takes at most 65 words, and a number two candidates on average.
      EXPECT_LT(source.words_given() - before, 20'000U);
    }
  }
}

TEST(CountRegion, NoRegionIsExpectedToRejectMoreThanItsLimit) {
  for (std::uint32_t last = 0; last < 4096; last += 97) {
    const CountRegion region(4096, {0, last});
    SeededSource source(last);
    UniformBits bits(source);
    SignVector signs(4096);
    constexpr int kDraws = 8;
    for (int i = 0; i < kDraws; ++i) region.draw(bits, signs);
    EXPECT_LT(source.words_given(), std::uint64_t{kDraws} * 12 * 1024) << last;
  }
}

TEST(CountRegion, AFailedSourceEndsTheDraw) {
  for (const CountSet counts : {CountSet{3, 4}, CountSet{0, 0}, CountSet{64, 64}}) {
    test::ScriptedSource source({});
    UniformBits bits(source);
    SignVector signs(64);
    CountRegion(64, counts).draw(bits, signs);
    EXPECT_TRUE(bits.failed());
  }
}

}  // namespace
}  // namespace futurerand
