#include "futurerand/core/base/exact.hpp"

#include <cmath>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "futurerand/core/base/epsilon.hpp"

namespace futurerand {
namespace {

using LongFloat = boost::multiprecision::cpp_bin_float_100;

TEST(ExpBelow, IsBelowAndWithinTenToTheMinusThirty) {
  for (const std::int64_t nanos :
       {0LL, 1'000LL, 123'456'789LL, 1'000'000'000LL, 15'999'999'999LL, 16'000'000'000LL}) {
    for (const std::uint64_t divisor : {1U, 2U, 3U, 4096U, 1U << 20}) {
      const Fraction below = exp_below(nanos, divisor);
      const LongFloat x = LongFloat(nanos) / (LongFloat(Epsilon::kNanosPerUnit) * divisor);
      const LongFloat shortfall =
          exp(x) - LongFloat(below.numerator) / LongFloat(below.denominator);
      EXPECT_TRUE(nanos == 0 ? shortfall == 0 : shortfall > 0) << nanos << "/" << divisor;
      EXPECT_LT(shortfall, ldexp(LongFloat(1), -230)) << nanos << "/" << divisor;
    }
  }
}

TEST(ExpBelow, RisesWithTheExponent) {
  Fraction last = exp_below(0);
  for (std::int64_t nanos = 1; nanos < 1'000'000'000; nanos = nanos * 3 + 1) {
    const Fraction next = exp_below(nanos);
    EXPECT_FALSE(less_or_equal(next, last)) << nanos;
    last = next;
  }
}

TEST(Fraction, ComparesAndConvertsIntegersOfAnyLength) {
  const BigInt large = two_to(100'000);
  EXPECT_TRUE(equal({large, 3 * large}, {1, 3}));
  EXPECT_TRUE(less_or_equal({large, 3 * large}, {large + 1, 3 * large}));
  EXPECT_FALSE(less_or_equal({large + 1, 3 * large}, {large, 3 * large}));
  EXPECT_DOUBLE_EQ(to_double({large, 3 * large}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(to_double({-5, 4}), -1.25);
  EXPECT_EQ(to_double({0, 7}), 0);
  EXPECT_DOUBLE_EQ(to_double({3 * two_to(900), 1}), std::ldexp(3, 900));
}

TEST(Fraction, LogKeepsAllDigitsNextToOne) {
  EXPECT_DOUBLE_EQ(log(Fraction{BigInt(1'000'000'000'001), BigInt(1'000'000'000'000)}),
                   std::log1p(1e-12));
  EXPECT_DOUBLE_EQ(log(Fraction{1, 8}), -std::log(8));
  EXPECT_EQ(log(Fraction{7, 7}), 0);
}

TEST(Binomial, RowsAreThoseOfPascal) {
  for (std::uint32_t k = 0; k <= 40; ++k) {
    BigInt sum;
    for (BinomialRow row(k); row.index() <= k; row.advance()) {
      EXPECT_EQ(row.value(), binomial(k, row.index()));
      if (k > 0) {
        const BigInt above = row.index() == 0 ? BigInt(0) : binomial(k - 1, row.index() - 1);
        EXPECT_EQ(row.value(), above + binomial(k - 1, row.index()));
      }
      sum += row.value();
    }
    EXPECT_EQ(sum, two_to(k));
  }
  EXPECT_EQ(binomial(5, 6), 0);
}

}  // namespace
}  // namespace futurerand
