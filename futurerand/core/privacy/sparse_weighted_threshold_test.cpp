// Weighted threshold laws with zero symbols, against their definition.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {
namespace {

constexpr double kWholeShare = 0x1p63;

// The definition only: every vector of -1, 0 and +1, its null chance (pure noise), its score, and
// its side.
struct EverySymbol {
  BigInt loud = 0;
  BigInt all = 0;
  std::vector<BigInt> high_sums;     // by level, of one of its symbols over the high side
  std::vector<BigInt> high_squares;  // the same of its square

  explicit EverySymbol(const WeightedThresholdLaw& law)
      : high_sums(law.levels.size()), high_squares(law.levels.size()) {
    visit(law, 0, 0, 0, BigInt(1), std::vector<int>(law.levels.size()));
  }

 private:
  void visit(const WeightedThresholdLaw& law, std::size_t level, std::uint32_t position,
             std::int64_t score, const BigInt& weight, const std::vector<int>& first) {
    if (level == law.levels.size()) {
      all += weight;
      if (score < std::int64_t{law.theta}) return;
      loud += weight;
      for (std::size_t l = 0; l < first.size(); ++l) {
        high_sums[l] += first[l] * weight;
        high_squares[l] += first[l] * first[l] * weight;
      }
      return;
    }
    const bool last = position + 1 == law.levels[level].count;
    for (const int symbol : {-1, 0, 1}) {
      std::vector<int> next = first;
      if (position == 0) next[level] = symbol;
      visit(law, last ? level + 1 : level, last ? 0 : position + 1,
            score + symbol * std::int64_t{law.levels[level].weight},
            weight * (symbol == 0 ? 65'536 - law.nonzero : law.nonzero / 2), next);
    }
  }
};

std::vector<WeightedThresholdLaw> small_sparse_laws() {
  std::mt19937_64 random(11);
  std::vector<WeightedThresholdLaw> laws;
  for (int i = 0; i < 60; ++i) {
    WeightedThresholdLaw law{
        0, {}, 1, std::uint64_t{3} << 62, SparseLaw::kUnits >> (2 + random() % 6)};
    for (std::uint64_t l = 0, levels = 2 + random() % 3; l < levels; ++l) {
      const auto count = static_cast<std::uint32_t>(1 + random() % 2);
      law.levels.push_back({count, static_cast<std::uint32_t>(1 + random() % 50), 1});
      law.num_signs += count;
    }
    law.theta = static_cast<std::uint32_t>(1 + random() % law.total_weight());
    laws.push_back(law);
  }
  return laws;
}

TEST(SparseWeightedThreshold, TheBoundsHoldTheShareAndAreExactForFewSymbols) {
  int exact = 0;
  for (const WeightedThresholdLaw& law : small_sparse_laws()) {
    ASSERT_TRUE(law.validate()) << law.validate().error().message;
    const EverySymbol every(law);
    const HighShare share = high_share(law);
    EXPECT_LE(share.at_least * every.all, every.loud << 63);
    EXPECT_GE(share.at_most * every.all, every.loud << 63);
    EXPECT_LT(static_cast<double>(share.at_most - share.at_least), 1e-14 * kWholeShare);
    if ((law.num_signs + 1) * (law.rarity() + 1) > 63) continue;
    ++exact;
    EXPECT_TRUE(share.exact());
    EXPECT_EQ(share.at_least * every.all, every.loud << 63);
  }
  EXPECT_GT(exact, 20);
}

TEST(SparseWeightedThreshold, MomentsAreThoseOfTheSymbols) {
  for (const WeightedThresholdLaw& law : small_sparse_laws()) {
    const EverySymbol every(law);
    const double side = static_cast<double>(law.high_side) / 0x1p64;
    const double loud = to_double({every.loud, every.all});
    if (loud < 1.0 / 1024) continue;  // no certificate, and few digits
    const double spoken = law.nonzero / 65'536.0;
    const std::vector<LevelMoments> moments = moments_of(law);
    double squares = 0;
    for (std::size_t l = 0; l < moments.size(); ++l) {
      // Over all vectors a symbol sums to 0, and its square to the chance of a nonzero symbol.
      const double sum = to_double({abs(every.high_sums[l]), every.all});
      const double square = to_double({every.high_squares[l], every.all});
      EXPECT_GE(every.high_sums[l], 0);
      EXPECT_NEAR(moments[l].mean, side * sum / loud - (1 - side) * sum / (1 - loud), 1e-10);
      const double expected = side * square / loud + (1 - side) * (spoken - square) / (1 - loud);
      EXPECT_NEAR(moments[l].square, expected, 1e-10);
      squares += law.levels[l].count * expected;
    }
    EXPECT_NEAR(law.mean_square(0), squares / law.num_signs, 1e-10);
  }
}

TEST(SparseWeightedThreshold, TheLossIsTheLargestRatioOfTwoVectors) {
  int judged = 0;
  for (const WeightedThresholdLaw& law : small_sparse_laws()) {
    const EverySymbol every(law);
    const Result<LossRatio> loss = law.loss_ratio();
    const double share = to_double({every.loud, every.all});
    EXPECT_EQ(static_cast<bool>(loss), share >= 1.0 / 1024 && share <= 0.75);
    if (!loss) continue;
    ++judged;
    // L is T / Q on one side and (1 - T) / (1 - Q) on the other.
    const Fraction exact{BigInt(law.high_side) * (every.all - every.loud),
                         complement(law.high_side) * every.loud};
    EXPECT_TRUE(less_or_equal(exact, loss->base));
    EXPECT_NEAR(log(loss->base), log(exact), 1e-10);
  }
  EXPECT_GT(judged, 20);
}

// Longer laws are rounded and cut: the bounds must hold the exact share, and be close.
TEST(SparseWeightedThreshold, TheBoundsOfLongLawsHoldTheShare) {
  for (const std::uint32_t rarity : {2U, 5U, 7U}) {
    const WeightedThresholdLaw law{312,
                                   {{4, 700, 1}, {4, 311, 1}, {4, 173, 1}, {300, 31, 1}},
                                   420,
                                   1,
                                   SparseLaw::kUnits >> rarity};
    ASSERT_TRUE(law.validate());
    // Exact: one symbol after the other is added, in big integers, over the losses.
    const std::uint32_t total = law.total_weight();
    const BigInt silent = two_to(rarity + 1) - 2;
    std::vector<BigInt> vectors(2 * total + 1);
    vectors[0] = 1;
    for (const auto& level : law.levels) {
      for (std::uint32_t i = 0; i < level.count; ++i) {
        for (std::size_t m = vectors.size(); m-- > 0;) {
          if (m >= level.weight) vectors[m] += vectors[m - level.weight] * silent;
          if (m >= 2 * level.weight) vectors[m] += vectors[m - 2 * level.weight];
        }
      }
    }
    BigInt loud;
    for (std::uint32_t m = 0; m + law.theta <= total; ++m) loud += vectors[m];
    const HighShare share = high_share(law);
    const BigInt all = two_to((rarity + 1) * law.num_signs);
    EXPECT_LE(BigInt(share.at_least) * all, loud << 63);
    EXPECT_GE(BigInt(share.at_most) * all, loud << 63);
    EXPECT_LT(static_cast<double>(share.at_most - share.at_least), 1e-10 * kWholeShare);
  }
}

TEST(SparseWeightedThreshold, SpeaksAlwaysOrOnceInAPowerOfTwo) {
  WeightedThresholdLaw law{12, {{2, 9, 500}, {2, 5, 400}, {8, 2, 100}}, 5, 1ULL << 63};
  for (const std::uint32_t nonzero : {512U, 1024U, 4096U, 16'384U, 65'536U}) {
    law.nonzero = nonzero;
    EXPECT_TRUE(law.validate()) << nonzero;
    EXPECT_EQ(law.may_be_zero(), nonzero < 65'536);
    EXPECT_EQ(nonzero << law.rarity(), 65'536U);
  }
  for (const std::uint32_t nonzero :
       {0U, 1U, 2U, 256U, 513U, 768U, 32'768U, 65'535U, 65'537U, 131'072U, 1U << 31, ~0U}) {
    law.nonzero = nonzero;
    EXPECT_FALSE(law.validate()) << nonzero;
  }
}

}  // namespace
}  // namespace futurerand
