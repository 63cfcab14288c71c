// The discarded draw. It hides the side of the law from the time of joining. It is exactly one draw
// from the other side, for any words.
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

SignVector signs_like(const std::vector<int>& symbols, bool silence) {
  SignVector signs(static_cast<std::uint32_t>(symbols.size()), silence);
  for (std::uint32_t j = 0; j < signs.size(); ++j) signs.set(j, static_cast<Sign>(symbols[j]));
  return signs;
}

// How many words of the script the other side takes.
std::size_t words_taken(const Law& law, const std::vector<int>& drawn,
                        const std::vector<std::uint64_t>& script) {
  test::ScriptedSource source(script);
  const LawSampler sampler = *LawSampler::create(law);
  EXPECT_TRUE(sampler.draw_other_side(signs_like(drawn, may_be_zero(law)), source));
  return source.words_given();
}

TEST(OtherSide, OfAThreshold) {
  const ThresholdLaw law{3, 1, std::uint64_t{1} << 63};
  const std::uint64_t low = 0, high = 7;  // all plus, all minus
  for (const std::vector<int>& drawn : {std::vector<int>{1, 1, 1}, {1, -1, 1}, {-1, 1, 1}}) {
    EXPECT_EQ(words_taken(law, drawn, {low, low, high}), 3U);
    EXPECT_EQ(words_taken(law, drawn, {high, low}), 1U);
  }
  for (const std::vector<int>& drawn : {std::vector<int>{-1, -1, -1}, {1, -1, -1}, {-1, -1, 1}}) {
    EXPECT_EQ(words_taken(law, drawn, {high, low}), 2U);
    EXPECT_EQ(words_taken(law, drawn, {low, high}), 1U);
  }
}

TEST(OtherSide, OfAnAnnulus) {
  const AnnulusLaw law{3, std::uint64_t{1} << 62, 0, 1};
  EXPECT_EQ(words_taken(law, {1, 1, 1}, {0, 7}), 2U);
  EXPECT_EQ(words_taken(law, {1, -1, 1}, {7, 0}), 1U);
  // A vector from outside had its draw of the product too.
  EXPECT_EQ(words_taken(law, {-1, -1, 1}, {0, 7}), 0U);
  EXPECT_EQ(words_taken(law, {-1, -1, -1}, {0, 7}), 0U);
  // Nothing is outside.
  EXPECT_EQ(words_taken(AnnulusLaw{3, std::uint64_t{1} << 62, 0, 3}, {1, 1, 1}, {0, 7}), 0U);
}

TEST(OtherSide, OfAQuietLaw) {
  const SparseLaw law{4, 1U << 15, 1, std::uint64_t{1} << 63};
  const std::uint64_t plus = 0x4000'4000'4000'4000, silent = ~std::uint64_t{0};
  for (const std::vector<int>& loud : {std::vector<int>{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 1, 1, -1}}) {
    EXPECT_EQ(words_taken(law, loud, {plus, silent}), 2U);
    EXPECT_EQ(words_taken(law, loud, {silent, plus}), 1U);
  }
  for (const std::vector<int>& rest :
       {std::vector<int>{1, 0, 0, 0}, {0, 0, 0, 1}, {-1, -1, 0, 0}, {1, 1, -1, 0}, {0, 0, 0, 0}}) {
    EXPECT_EQ(words_taken(law, rest, {silent, plus}), 2U);
    EXPECT_EQ(words_taken(law, rest, {plus, silent}), 1U);
  }
}

// An uncertified law: one of its 2^63 vectors is on the high side. The draw still ends.
TEST(OtherSide, OfALawThatHasNearlyNone) {
  const WeightedThresholdLaw law{63, {{1, 1, 2}, {62, 1, 1}}, 63, std::uint64_t{1} << 63};
  test::SeededSource source(41);
  const Result<SignVector> drawn = (*LawSampler::create(law)).draw(source);
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().code, ErrorCode::kNoEntropy);
  // A word for the side, one for the first vector, and 2^17 for further vectors of the same side.
  EXPECT_EQ(source.words_given(), 2 + (std::uint64_t{1} << 17));
}

TEST(OtherSide, FailsWithItsSource) {
  test::ScriptedSource nothing({});
  const LawSampler sampler = *LawSampler::create(ThresholdLaw{3, 1, std::uint64_t{1} << 63});
  EXPECT_FALSE(sampler.draw_other_side(signs_like({1, 1, 1}, false), nothing));
}

}  // namespace
}  // namespace futurerand
