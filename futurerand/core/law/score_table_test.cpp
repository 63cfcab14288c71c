#include "futurerand/core/law/shapes/score_table.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(ScoreTable, IsExactForAFewSigns) {
  using Levels = std::vector<WeightedSigns>;
  // The weights so far of the second have the common divisors 6, 2 and 1, of the third 4.
  for (const Levels& levels :
       {Levels{{3, 1}, {2, 5}, {1, 2}}, Levels{{1, 9}, {3, 6}, {2, 8}}, Levels{{4, 4}, {2, 12}}}) {
    std::vector<std::uint32_t> weights;
    for (const WeightedSigns& level : levels) {
      weights.insert(weights.end(), level.count, level.weight);
    }
    ASSERT_EQ(weights.size(), 6U);
    const ScoreTable<std::uint64_t> table(levels);
    ASSERT_EQ(table.total(), std::accumulate(weights.begin(), weights.end(), 0U));
    std::vector<std::uint64_t> vectors(table.total() + 1);
    for (std::uint32_t minus = 0; minus < 64; ++minus) {
      std::uint32_t weight = 0;
      for (std::size_t j = 0; j < weights.size(); ++j) weight += (minus >> j) & 1U ? weights[j] : 0;
      ++vectors[weight];
    }
    std::uint64_t up_to = 0;
    for (std::uint32_t weight = 0; weight <= table.total(); ++weight) {
      EXPECT_EQ(table.at(weight), vectors[weight] << (63 - 6)) << weight;
      up_to += vectors[weight] << (63 - 6);
      EXPECT_EQ(table.up_to(weight), up_to) << weight;
      EXPECT_EQ(table.score_of(weight),
                static_cast<int>(table.total()) - 2 * static_cast<int>(weight));
    }
  }
}

// A common divisor of the weights only spreads the entries out: between them there is nothing.
TEST(ScoreTable, LongTablesOfMultiplesAreTheSameSpreadOut) {
  for (const std::uint32_t rarity : {0U, 3U}) {
    const ScoreTable<std::uint64_t> one({{500, 2}, {3, 7}}, rarity);
    const ScoreTable<std::uint64_t> five({{500, 10}, {3, 35}}, rarity);
    std::uint64_t between = 0;
    for (std::uint32_t lost = 0; lost <= 10 * one.total(); ++lost) {
      if (lost % 5 != 0) between += five.at(lost);
    }
    EXPECT_EQ(between, 0U);
    // The windows differ by a rounding at their ends.
    for (std::uint32_t lost = one.first() + 50; lost + 50 <= one.last(); ++lost) {
      EXPECT_NEAR(static_cast<double>(five.at(5 * lost)), static_cast<double>(one.at(lost)), 500)
          << lost;
    }
  }
}

// 400 signs have a standard deviation of 10: the window of nine of them ends well before 0 and 400.
TEST(ScoreTable, IsALowerBoundAndZeroOutsideItsWindow) {
  const ScoreTable<std::uint64_t> table({{400, 1}});
  ASSERT_GT(table.first(), 50U);
  ASSERT_LT(table.last(), 350U);
  for (const std::uint32_t outside :
       {0U, table.first() - 30, table.first() - 1, table.last() + 1, 400U}) {
    EXPECT_EQ(table.at(outside), 0U) << outside;
  }
  for (const std::uint32_t minus : {130U, 170U, 200U, 230U, 270U}) {
    const double exact = 0x1p63 * std::exp(std::lgamma(401.0) - std::lgamma(minus + 1.0) -
                                           std::lgamma(401.0 - minus) - 400 * std::log(2.0));
    const auto bound = static_cast<double>(table.at(minus));
    EXPECT_LE(bound, exact * (1 + 1e-9)) << minus;
    EXPECT_GE(bound, exact * (1 - 1e-9) - 1000) << minus;
  }
  EXPECT_LE(table.mass(), std::uint64_t{1} << 63);
  EXPECT_GE(table.mass(), (std::uint64_t{1} << 63) - (std::uint64_t{1} << 20));
}

// At its lower end an older table has more than this one should: none of it may come in. Integers
// are 0 there.
TEST(ScoreTable, TakesNothingOfOlderTables) {
  const ScoreTable<double> table({{400, 1}});
  for (std::uint32_t minus = table.first(); minus < table.first() + 5; ++minus) {
    const double exact = std::exp(std::lgamma(401.0) - std::lgamma(minus + 1.0) -
                                  std::lgamma(401.0 - minus) - 400 * std::log(2.0));
    EXPECT_GT(table.at(minus), 0) << minus;
    EXPECT_LE(table.at(minus), exact * (1 + 1e-9)) << minus;
  }
}

}  // namespace
}  // namespace futurerand
