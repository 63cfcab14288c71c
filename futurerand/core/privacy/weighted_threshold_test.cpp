#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/law/shapes/score_table.hpp"
#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {
namespace {

constexpr double kTwo63 = 0x1p63;

WeightedThresholdLaw law_of(std::vector<WeightedThresholdLaw::Level> levels, std::uint32_t theta,
                            std::uint64_t high_side) {
  std::uint32_t signs = 0;
  for (const auto& level : levels) signs += level.count;
  return {signs, std::move(levels), theta, high_side};
}

// The definition only: every vector, its score, and its side.
struct EveryVector {
  std::uint64_t loud = 0;
  std::uint64_t all = 0;
  std::vector<std::int64_t> high_sums;  // by level, the sum of one of its signs over the high side

  explicit EveryVector(const WeightedThresholdLaw& law) : high_sums(law.levels.size()) {
    all = std::uint64_t{1} << law.num_signs;
    for (std::uint64_t minus = 0; minus < all; ++minus) {
      std::int64_t score = 0;
      std::vector<std::int64_t> first;
      std::uint32_t position = 0;
      for (const auto& level : law.levels) {
        first.push_back((minus >> position) & 1U ? -1 : 1);
        for (std::uint32_t i = 0; i < level.count; ++i, ++position) {
          score += (minus >> position) & 1U ? -std::int64_t{level.weight} : level.weight;
        }
      }
      if (score < std::int64_t{law.theta}) continue;
      ++loud;
      for (std::size_t l = 0; l < first.size(); ++l) high_sums[l] += first[l];
    }
  }
};

std::vector<WeightedThresholdLaw> small_laws() {
  std::mt19937_64 random(7);
  std::vector<WeightedThresholdLaw> laws;
  for (int i = 0; i < 60; ++i) {
    std::vector<WeightedThresholdLaw::Level> levels;
    const std::uint32_t num_levels = 2 + random() % 4;
    for (std::uint32_t l = 0; l < num_levels; ++l) {
      const auto count = static_cast<std::uint32_t>(1 + random() % 3);
      const auto weight = static_cast<std::uint32_t>(1 + random() % 50);
      levels.push_back({count, weight, 1});
    }
    WeightedThresholdLaw law = law_of(levels, 1, std::uint64_t{3} << 62);
    law.theta = static_cast<std::uint32_t>(1 + random() % law.total_weight());
    laws.push_back(law);
  }
  return laws;
}

TEST(WeightedThreshold, TheHighShareOfSmallLawsIsExact) {
  for (const WeightedThresholdLaw& law : small_laws()) {
    ASSERT_TRUE(law.validate()) << law.validate().error().message;
    const EveryVector every(law);
    const HighShare share = high_share(law);
    EXPECT_TRUE(share.exact());
    EXPECT_EQ(share.at_least, every.loud << (63 - law.num_signs));
  }
}

TEST(WeightedThreshold, GapsAreTheMeansOfTheSigns) {
  for (const WeightedThresholdLaw& law : small_laws()) {
    const EveryVector every(law);
    if (every.loud == every.all) continue;
    const double side = static_cast<double>(law.high_side) / 0x1p64;
    const double loud = static_cast<double>(every.loud);
    const double rest = static_cast<double>(every.all - every.loud);
    const std::vector<LevelMoments> moments = moments_of(law);
    for (std::size_t l = 0; l < moments.size(); ++l) {
      // Over all vectors a sign sums to 0.
      const auto sum = static_cast<double>(every.high_sums[l]);
      EXPECT_NEAR(moments[l].mean, side * sum / loud - (1 - side) * sum / rest, 1e-12);
      EXPECT_EQ(moments[l].square, 1);
    }
  }
}

TEST(WeightedThreshold, TheLossIsTheLargestRatioOfTwoVectors) {
  for (const WeightedThresholdLaw& law : small_laws()) {
    const EveryVector every(law);
    const Result<LossRatio> loss = law.loss_ratio();
    const double share = static_cast<double>(every.loud) / static_cast<double>(every.all);
    const bool drawable = share >= 1.0 / 1024 && share <= 1023.0 / 1024;
    EXPECT_EQ(static_cast<bool>(loss), drawable && share <= 0.75);
    if (!loss) continue;
    const Fraction loud{BigInt(law.high_side), BigInt(every.loud) << 64};
    const Fraction rest{complement(law.high_side), BigInt(every.all - every.loud) << 64};
    EXPECT_TRUE(
        equal(loss->base, {loud.numerator * rest.denominator, loud.denominator * rest.numerator}));
  }
}

// Longer laws are rounded and cut: the bounds must hold the exact share, and be close.
TEST(WeightedThreshold, TheBoundsOfLongLawsHoldTheShare) {
  for (const std::uint32_t settled : {64U, 200U, 600U}) {
    const WeightedThresholdLaw law =
        law_of({{4, 700, 1}, {4, 311, 1}, {4, 173, 1}, {settled, 31, 1}}, 900, 1);
    // The share is exact: one sign after the other is added, in big integers.
    std::vector<BigInt> vectors(law.total_weight() + 1);
    vectors[0] = 1;
    for (const auto& level : law.levels) {
      for (std::uint32_t i = 0; i < level.count; ++i) {
        for (std::size_t m = vectors.size(); m-- > level.weight;) {
          vectors[m] += vectors[m - level.weight];
        }
      }
    }
    BigInt loud;
    for (std::uint32_t m = 0; 2 * m + law.theta <= law.total_weight(); ++m) loud += vectors[m];
    const HighShare share = high_share(law);
    const BigInt all = two_to(law.num_signs);
    EXPECT_LE(BigInt(share.at_least) * all, loud << 63);
    EXPECT_GE(BigInt(share.at_most) * all, loud << 63);
    EXPECT_LT(static_cast<double>(share.at_most - share.at_least), 1e-11 * kTwo63);
  }
}

TEST(WeightedThreshold, RefusesIntegersThatDoNotFit) {
  const WeightedThresholdLaw good = law_of({{2, 9, 500}, {2, 5, 400}, {8, 2, 100}}, 5, 1ULL << 63);
  ASSERT_TRUE(good.validate());
  const auto refused = [&](auto&& change) {
    WeightedThresholdLaw law = good;
    change(law);
    return !law.validate();
  };
  using L = WeightedThresholdLaw;
  EXPECT_TRUE(refused([](L& law) { law.levels[0].count = 0; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[0].count = 3; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[2].count = ~0U; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[0].weight = 0; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[0].weight = 1U << 16; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[0].weight = 60'000; }));
  EXPECT_FALSE(refused([](L& law) { law.levels[1].gap = 501; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[1].gap = 99; }));  // below the steady level's
  EXPECT_TRUE(refused([](L& law) { law.start_levels = 3; }));
  EXPECT_FALSE(refused([](L& law) { law.start_levels = 2; }));  // then there are no change levels
  EXPECT_FALSE(refused([](L& law) { law.start_levels = 1; }));
  EXPECT_TRUE(refused([](L& law) {  // two start levels and one change level
    law.levels.insert(law.levels.begin(), {1, 9, 500});
    ++law.num_signs;
    law.start_levels = 2;
  }));
  EXPECT_TRUE(refused([](L& law) {  // 2 S - C is below C
    law.start_levels = 1;
    law.levels[1].gap = 99;
  }));
  EXPECT_TRUE(refused([](L& law) { law.levels[2].gap = 0; }));
  EXPECT_TRUE(refused([](L& law) { law.levels[0].gap = (1ULL << 40) + 1; }));
  EXPECT_TRUE(refused([](L& law) { law.levels.pop_back(); }));
  EXPECT_TRUE(refused([](L& law) { law.levels = {{12, 2, 1}}; }));
  EXPECT_TRUE(refused([](L& law) { law.levels.clear(); }));
  EXPECT_TRUE(refused([](L& law) { law.theta = 0; }));
  EXPECT_TRUE(refused([](L& law) { law.theta = law.total_weight() + 1; }));
  EXPECT_TRUE(refused([](L& law) { law.high_side = 0; }));
}

// The sum of squares bounds the certificate's work. Weights with overflowing squares are rejected
// one by one.
TEST(WeightedThreshold, BoundsTheSumOfSquares) {
  const auto accepted = [](std::uint32_t count, std::uint32_t weight, std::uint32_t last) {
    return bool(law_of({{1, last, 1}, {count, weight, 1}}, 1, 1ULL << 63).validate());
  };
  EXPECT_TRUE(accepted(4095, 128, 128));  // 2^26 exactly
  EXPECT_FALSE(accepted(4095, 128, 129));
  EXPECT_FALSE(accepted(4000, 200, 1));
  EXPECT_FALSE(accepted(4, 1U << 31, 1));
  EXPECT_FALSE(accepted(1024, 1U << 27, 1));
}

// A wrong share of the high side would make the reverse ratio large. Claiming 0.01 instead of
// 0.3125 is a loss of 2.8 at epsilon 1.
TEST(WeightedThreshold, RefusesAHighSideThatIsTakenTooRarely) {
  WeightedThresholdLaw law = law_of({{2, 9, 500}, {2, 5, 400}, {8, 2, 100}}, 5, 1);
  const double share = static_cast<double>(high_share(law).at_least) / kTwo63;
  ASSERT_GT(share, 0.25);
  const double e = std::exp(1.0);
  law.high_side = static_cast<std::uint64_t>(0x1p64 * e * 0.01 / ((e - 1) * 0.01 + 1));
  const Result<Certificate> certificate = certify(law, epsilon("1"));
  ASSERT_FALSE(certificate);
  EXPECT_NE(certificate.error().message.find("below the high side's share"), std::string::npos);
}

TEST(WeightedThreshold, RefusesASideThatIsTooRareToBeDrawn) {
  WeightedThresholdLaw law = law_of({{2, 9, 500}, {2, 5, 400}, {12, 2, 100}}, 1, ~0ULL);
  law.theta = law.total_weight();  // one vector of 2^16
  EXPECT_TRUE(law.validate());
  EXPECT_FALSE(certify(law, epsilon("16")));
}

TEST(RootBelow, IsTheLargestRoot) {
  for (std::uint64_t square = 0; square < 3000; ++square) {
    const std::uint64_t root = root_below(square);
    EXPECT_LE(root * root, square);
    EXPECT_GT((root + 1) * (root + 1), square);
  }
}

}  // namespace
}  // namespace futurerand
