#include "futurerand/core/base/packed_signs.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/packed_signs.hpp"

namespace futurerand {
namespace {

// Compares every way to read signs with a plain vector.
void expect_equal(const PackedSigns& signs, const std::vector<int>& expected) {
  const auto size = static_cast<std::uint32_t>(expected.size());
  ASSERT_EQ(signs.size(), size);
  EXPECT_EQ(signs.empty(), expected.empty());
  bool has_zero = false;
  for (std::uint32_t i = 0; i < size; ++i) {
    EXPECT_EQ(static_cast<int>(signs[i]), expected[i]) << i;
    has_zero |= expected[i] == 0;
  }
  EXPECT_EQ(signs.has_zero(), has_zero);
  for (std::uint32_t from = 0; from < size; from += 7) {
    std::uint32_t pluses = 0;
    for (std::uint32_t i = from; i < size; ++i) pluses += expected[i] == 1 ? 1U : 0U;
    EXPECT_EQ(signs.count_plus(from, size - from), pluses) << from;
    const std::uint32_t count = std::min(64U, size - from);
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(signs.minus_bits(from, count) >> i & 1U, expected[from + i] == -1 ? 1U : 0U);
      EXPECT_EQ(signs.zero_bits(from, count) >> i & 1U, expected[from + i] == 0 ? 1U : 0U);
    }
    const PackedSigns rest = signs.part(from, size - from);
    ASSERT_EQ(rest.size(), size - from);
    for (std::uint32_t i = 0; i < size - from; ++i) {
      EXPECT_EQ(static_cast<int>(rest[i]), expected[from + i]) << from << " " << i;
    }
    EXPECT_EQ(signs.part(from, 1).size(), 1U);
    if (count < 64) {
      EXPECT_EQ((signs.minus_bits(from, count) | signs.zero_bits(from, count)) >> count, 0U);
    }
  }
}

TEST(PackedSigns, RunsOfEveryLengthLandWhereTheyBelong) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    PackedSigns signs, one_by_one;
    std::vector<int> expected;
    while (expected.size() < 300) {
      const auto count = static_cast<std::uint32_t>(1 + random() % 64);
      // A minus at a zero, and bits past the end, must not count.
      const std::uint64_t minus = random(), zero = round % 2 == 0 ? random() & random() : 0;
      signs.append(count, minus, zero);
      for (std::uint32_t i = 0; i < count; ++i) {
        expected.push_back((zero >> i & 1U) != 0 ? 0 : (minus >> i & 1U) != 0 ? -1 : 1);
        one_by_one.push_back(static_cast<Sign>(expected.back()));
      }
    }
    expect_equal(signs, expected);
    EXPECT_EQ(signs, one_by_one);
    one_by_one.clear();
    expect_equal(one_by_one, {});
    EXPECT_EQ(one_by_one, PackedSigns());
  }
}

TEST(PackedSigns, DifferWhereOneSignDoes) {
  const PackedSigns signs = packed_signs(std::string(100, '+'));
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (const char other : {'-', '0'}) {
      std::string text(100, '+');
      text[i] = other;
      EXPECT_NE(packed_signs(text), signs) << i;
    }
  }
  EXPECT_EQ(PackedSigns(100, Sign::kPlus), signs);
  EXPECT_EQ(PackedSigns(130, Sign::kZero), packed_signs(std::string(130, '0')));
  EXPECT_EQ(PackedSigns(3, Sign::kMinus), packed_signs("---"));
  EXPECT_NE(packed_signs("+"), packed_signs("++"));
  EXPECT_NE(packed_signs("-"), packed_signs("0"));
}

}  // namespace
}  // namespace futurerand
