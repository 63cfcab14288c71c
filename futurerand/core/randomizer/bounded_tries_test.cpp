// Every rejection loop ends and fails on a stuck source: after 128 times its largest expected
// number of tries.
#include <gtest/gtest.h>

#include "futurerand/core/randomizer/law_draw.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

using test::StuckSource;

constexpr std::uint64_t kOnes = ~std::uint64_t{0};
constexpr std::uint64_t kManyTries = 128 * 1024;

TEST(BoundedTries, OfUniformIntegers) {
  StuckSource small(3), large(kOnes);
  UniformBits few(small), many(large);
  EXPECT_EQ(few.below(3U), 0U);  // two bits are drawn, and 3 is not below 3
  EXPECT_TRUE(few.failed());
  EXPECT_EQ(small.words_given(), 256U);
  EXPECT_EQ(many.below(BigInt(3) << 64), 0);  // of 66 bits, all are ones
  EXPECT_TRUE(many.failed());
  EXPECT_EQ(large.words_given(), 2 * 256U);
}

TEST(BoundedTries, OfRegions) {
  StuckSource source(kOnes);
  UniformBits bits(source);
  SignVector signs(100);
  const CountRegion region(100, {0, 50});
  ASSERT_TRUE(region.by_rejection());
  region.draw(bits, signs);
  EXPECT_TRUE(bits.failed());
  EXPECT_EQ(source.words_given(), 2 * kManyTries);
}

TEST(BoundedTries, OfSparseLaws) {
  // Words of 0 give only minus, never high. Words of ones give only zeros, not high either.
  for (const std::uint64_t word : {std::uint64_t{0}, kOnes}) {
    StuckSource source(word);
    UniformBits bits(source);
    SignVector symbols(8, true);
    draw_sparse_side(bits, SparseLaw{8, 1U << 14, 1, std::uint64_t{1} << 63}, true, symbols);
    EXPECT_TRUE(bits.failed());
    EXPECT_EQ(source.words_given(), 2 * kManyTries);
  }
}

TEST(BoundedTries, OfWeightedThresholdLaws) {
  StuckSource source(0);
  const LawSampler sampler = *LawSampler::create(
      WeightedThresholdLaw{3, {{1, 1, 2}, {2, 1, 1}}, 2, std::uint64_t{1} << 63});
  const Result<SignVector> drawn = sampler.draw(source);
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().code, ErrorCode::kNoEntropy);
  EXPECT_EQ(source.words_given(), 2 + kManyTries);  // the side and the first vector too
}

}  // namespace
}  // namespace futurerand
