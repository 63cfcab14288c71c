// The exact law of the shipped sampler for a weighted threshold, as in law_enumeration_test.cpp:
// words have a few bits, and every tape of words is played.
#include <cstdint>

#include <gtest/gtest.h>

#include "futurerand/core/law/law.hpp"
#include "futurerand/core/randomizer/innovation_randomizer.hpp"
#include "futurerand/core/randomizer/law_draw.hpp"
#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/test/drawn_vectors.hpp"
#include "futurerand/core/randomizer/test/tapes.hpp"

namespace futurerand {
namespace {

using test::all_vectors;
using test::DrawnVectors;
using test::Symbols;
using test::Tapes;

// Vectors are drawn until there is one of either side; v < T decides the kept side. After the first
// vector, at most `tries` more are on a tape. So, given that side X is kept, a vector of X has its
// null chance times 1 - P0(X)^tries (it came first) + the sum of P0(not X)^i, 1 <= i <= tries (it
// came after i others).
template <int kWordBits>
void expect_exact(const WeightedThresholdLaw& law, std::uint32_t tries) {
  ASSERT_TRUE(validate(Law(law))) << validate(Law(law)).error().message;
  const bool quiet = law.nonzero < 65'536;
  std::uint32_t words_a_vector = 1;
  while (law.nonzero << (words_a_vector - 1) < 65'536) ++words_a_vector;
  const Tapes tapes(kWordBits, 1 + (1 + tries) * words_a_vector);
  const LawSampler sampler = *LawSampler::create(law);
  DrawnVectors drawn;
  tapes.for_each([&](RandomSource& source) { return sampler.draw<kWordBits>(source); },
                 [&](const Result<SignVector>& signs, std::uint64_t weight) {
                   if (signs) drawn.add(*signs, weight);
                 });

  const auto is_high = [&](const Symbols& symbols) {
    int score = 0;
    std::size_t position = 0;
    for (const auto& level : law.levels) {
      for (std::uint32_t i = 0; i < level.count; ++i) {
        score += symbols[position++] * static_cast<int>(level.weight);
      }
    }
    return score >= static_cast<int>(law.theta);
  };
  const auto null_weight = [&](const Symbols& symbols) {
    BigInt weight = 1;
    for (const int symbol : symbols) weight *= symbol == 0 ? 65'536 - law.nonzero : law.nonzero / 2;
    return weight;
  };
  BigInt loud = 0, all = 0;
  for (const Symbols& symbols : all_vectors(law.num_signs, quiet)) {
    all += null_weight(symbols);
    if (is_high(symbols)) loud += null_weight(symbols);
  }
  const std::uint64_t side = law.high_side >> (64 - kWordBits);
  for (const Symbols& symbols : all_vectors(law.num_signs, quiet)) {
    const BigInt own = is_high(symbols) ? loud : BigInt(all - loud), other = all - own;
    // Over all^tries.
    BigInt kept = power(all, tries) - power(own, tries);
    for (std::uint32_t i = 1; i <= tries; ++i) kept += power(other, i) * power(all, tries - i);
    const BigInt of_side = is_high(symbols) ? side : (std::uint64_t{1} << kWordBits) - side;
    EXPECT_EQ(drawn[symbols] * power(all, tries + 1) << kWordBits,
              of_side * null_weight(symbols) * kept * tapes.total());
  }
}

TEST(WeightedEnumeration, EveryTapeOfSigns) {
  for (const std::uint64_t side : {1U, 9U, 15U}) {
    for (const std::uint32_t theta : {1U, 4U, 9U}) {
      for (const std::uint32_t tries : {1U, 2U}) {
        expect_exact<4>({4, {{1, 5, 3}, {2, 3, 2}, {1, 1, 1}}, theta, side << 60}, tries);
      }
    }
  }
  expect_exact<3>({3, {{1, 5, 3}, {2, 2, 1}}, 4, std::uint64_t{5} << 61}, 4);
  expect_exact<6>({6, {{2, 5, 3}, {4, 2, 1}}, 7, std::uint64_t{50} << 58}, 1);
}

TEST(WeightedEnumeration, EveryTapeOfSymbols) {
  expect_exact<3>({3, {{1, 5, 3}, {2, 2, 1}}, 4, std::uint64_t{5} << 61, 65'536 >> 2}, 1);
  for (const std::uint64_t side : {1U, 2U}) {
    for (const std::uint32_t theta : {1U, 5U, 7U}) {
      expect_exact<2>({2, {{1, 5, 3}, {1, 2, 1}}, theta, side << 62, 65'536 >> 2}, 1);
    }
  }
  for (const std::uint32_t rarity : {2U, 3U}) {
    expect_exact<2>({2, {{1, 5, 3}, {1, 2, 1}}, 3, std::uint64_t{3} << 62, 65'536U >> rarity}, 1);
  }
  expect_exact<2>({2, {{1, 5, 3}, {1, 2, 1}}, 3, std::uint64_t{3} << 62, 65'536 >> 2}, 2);
}

// Every unit of a period's symbol, for any deciding bits: -1 if u < r/2, else +1 if u < r, else 0.
// u is one of 256 values, the lowest eight bits.
TEST(WeightedEnumeration, AllUnitsOfAQuietCoin) {
  for (std::uint32_t rarity = 2; rarity <= 7; ++rarity) {
    const InnovationLevels levels(
        WeightedThresholdLaw{2, {{1, 5, 3}, {1, 2, 1}}, 3, 1, 65'536U >> rarity});
    const std::uint32_t spoken = 256U >> rarity;
    for (std::uint32_t unit = 0; unit < 256; ++unit) {
      const int expected = 2 * unit < spoken ? -1 : unit < spoken ? 1 : 0;
      for (const std::uint32_t decision : {0U, 1U, 0x800000U, 0xffffffU}) {
        ASSERT_EQ(static_cast<int>(levels.coin(decision << 8 | unit)), expected) << unit;
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
