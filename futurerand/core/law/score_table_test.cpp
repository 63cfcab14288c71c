#include "futurerand/core/law/shapes/score_table.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(ScoreTable, IsExactForAFewSigns) {
  const std::vector<std::uint32_t> weights = {1, 1, 1, 5, 5, 2};
  const ScoreTable<std::uint64_t> table({{3, 1}, {2, 5}, {1, 2}});
  ASSERT_EQ(table.total(), 15U);
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
    EXPECT_EQ(table.score_of(weight), 15 - 2 * static_cast<int>(weight));
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

}  // namespace
}  // namespace futurerand
