#include "futurerand/core/coding/row.hpp"

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/coding/test/codings.hpp"

namespace futurerand {
namespace {

// The share of 64-bit numbers for each row. Rows are found by bisection: row_from_bits gives each
// row one interval, or one for each level.
std::vector<double> exact_chances(const Coding& coding) {
  std::vector<double> chances(coding.num_codes());
  std::uint64_t at = 0;
  while (true) {
    const CodingRow row = row_from_bits(coding, at);
    std::uint64_t last = at, step = ~std::uint64_t{0} - at;
    for (; step > 0; step /= 2) {
      while (step <= ~std::uint64_t{0} - last && row_from_bits(coding, last + step) == row) {
        last += step;
      }
    }
    chances[row] += (static_cast<double>(last - at) + 1) * 0x1p-64;
    if (last == ~std::uint64_t{0}) return chances;
    at = last + 1;
  }
}

TEST(Row, HasItsChanceToWithinTwoToTheMinus48) {
  std::vector<Coding> codings = {Coding(),
                                 *Coding::create(NumberCoding{0, 1, "", 0}),
                                 coding_of_labels(2),
                                 coding_of_labels(5),
                                 coding_of_labels(1000),
                                 *Coding::create(TextCoding{12})};
  for (std::uint32_t buckets = 8; buckets <= 1024; buckets *= 2) {
    codings.push_back(coding_of_buckets(buckets));
  }
  for (const Coding& coding : codings) {
    const std::vector<double> chances = exact_chances(coding);
    EXPECT_EQ(chances[0], 0);
    for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
      EXPECT_NEAR(chances[row], 1 / inverse_chance(coding, row), 0x1p-48)
          << name_of(coding.kind()) << " " << coding.num_codes() << " row " << row;
    }
  }
}

TEST(Row, OfADistributionHasALevelWithChanceOneInB) {
  for (const std::uint32_t buckets : {8U, 32U, 1024U}) {
    const Coding coding = coding_of_buckets(buckets);
    std::vector<double> of_level(coding.bits() + 1);
    for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
      const std::uint32_t level = level_of(coding, row);
      of_level[level] += 1 / inverse_chance(coding, row);
      // The definition: bit `level` from the top is set, those below are not.
      EXPECT_EQ(row >> (coding.bits() - level) & 1, 1U);
      EXPECT_EQ(row & ((1U << (coding.bits() - level)) - 1), 0U);
    }
    for (std::uint32_t level = 1; level <= coding.bits(); ++level) {
      EXPECT_NEAR(of_level[level], 1.0 / coding.bits(), 1e-12);
    }
  }
}

// A row of a level ignores moves inside its level's blocks.
TEST(Row, OfACoarseLevelIgnoresFineBits) {
  const Coding coding = coding_of_buckets(32);
  for (CodingRow row = 1; row < 32; ++row) {
    const std::uint32_t block = 1U << (5 - level_of(coding, row));
    for (std::uint32_t code = 0; code < 32; ++code) {
      EXPECT_EQ(Coding::state(row, code), Coding::state(row, code / block * block));
    }
  }
}

// Pearson's statistic over all rows for 200,000 counted ids, and for ids with differences in the
// last byte only. It passes mean + 6 sd with a chance below 1e-7 for each.
TEST(Row, OfIdsIsSpreadEvenly) {
  for (const bool high : {false, true}) {
    for (const Coding& coding : {coding_of_labels(64), coding_of_buckets(64)}) {
      std::vector<double> seen(coding.num_codes());
      constexpr std::uint32_t kIds = 200'000;
      for (std::uint32_t i = 0; i < kIds; ++i) {
        std::array<std::uint8_t, 16> id{};
        std::memcpy(id.data() + (high ? 12 : 0), &i, sizeof i);
        seen[row_of(coding, id)] += 1;
      }
      double statistic = 0;
      for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
        const double expected = kIds / inverse_chance(coding, row);
        statistic += (seen[row] - expected) * (seen[row] - expected) / expected;
      }
      EXPECT_EQ(seen[0], 0);
      EXPECT_LT(statistic, 62 + 6 * std::sqrt(2 * 62.0));
    }
  }
}

// Devices and collectors of different builds must agree. The numbers are from another program.
TEST(Row, OfAnIdIsFixed) {
  std::array<std::uint8_t, 16> id;
  for (std::uint8_t i = 0; i < 16; ++i) id[i] = i;
  EXPECT_EQ(row_of(Coding(), id), 1U);
  EXPECT_EQ(row_of(coding_of_labels(1000), id), 411U);
  EXPECT_EQ(row_of(coding_of_buckets(32), id), 4U);
  EXPECT_EQ(*Coding::create(TextCoding{})->code("news"), 40'987U);
}

}  // namespace
}  // namespace futurerand
