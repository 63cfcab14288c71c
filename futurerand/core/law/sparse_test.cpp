#include "futurerand/core/law/sparse.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/shapes/sparse_law.hpp"

namespace futurerand {
namespace {

// Sums P(b) factor(plus, minus) over all vectors, from nothing but `probability`.
template <typename Factor>
Fraction sum_over_vectors(const SparseLaw& law, Factor&& factor) {
  const std::uint32_t k = law.num_signs;
  Fraction total{0};
  for (std::uint32_t minus = 0; minus <= k; ++minus) {
    for (std::uint32_t silent = 0; minus + silent <= k; ++silent) {
      const Fraction p = probability(law, minus, silent);
      const BigInt vectors = binomial(k, minus) * binomial(k - minus, silent);
      const int value = factor(static_cast<int>(k - minus - silent), static_cast<int>(minus));
      total = {total.numerator * p.denominator + p.numerator * vectors * value * total.denominator,
               total.denominator * p.denominator};
      const BigInt common = gcd(total.numerator, total.denominator);
      total = {total.numerator / common, total.denominator / common};
    }
  }
  return total;
}

TEST(SparseLaw, SumsToOneAndHasItsGapAndItsMeanSquare) {
  for (const std::uint32_t k : {1U, 2U, 3U, 5U, 8U}) {
    for (const char* text : {"0.5", "1", "2", "4", "16"}) {
      const SparseLaw law = quiet(k, epsilon(text), 0.01);
      ASSERT_TRUE(validate(law));
      EXPECT_TRUE(equal(sum_over_vectors(law, [](int, int) { return 1; }), {1}));
      const Fraction score =
          sum_over_vectors(law, [](int plus, int minus) { return plus - minus; });
      EXPECT_TRUE(equal({score.numerator, score.denominator * k}, gap(law)));
      const Fraction square =
          sum_over_vectors(law, [](int plus, int minus) { return plus + minus; });
      EXPECT_NEAR(mean_square(law, 1) * k / to_double(square), 1, 1e-12);
      EXPECT_NEAR(mean_square(law, 0), static_cast<double>(law.nonzero) / SparseLaw::kUnits, 1e-15);
    }
  }
}

TEST(SparseLaw, OfOneSignIsTheClosedForm) {
  // The best share of speaking is 2 / (e^epsilon - 1), the variance 8 / (e^epsilon - 1).
  for (const char* text : {"2", "3", "4"}) {
    const SparseLaw law = quiet(1, epsilon(text), 0);
    const double excess = std::expm1(epsilon(text).value());
    EXPECT_NEAR(mean_square(law, 0) * excess / 2, 1, 0.1);
    const double c = to_double(gap(law));
    EXPECT_NEAR(mean_square(law, 0) / (c * c) * excess / 8, 1, 0.003);
  }
}

TEST(SparseLaw, IsChosenOnlyWhereItHasLessNoise) {
  EXPECT_TRUE(std::holds_alternative<ThresholdLaw>(quietest(4, epsilon("1"), 0.01)));
  EXPECT_TRUE(may_be_zero(quietest(4, epsilon("2"), 0.01)));
  // If every report carries a change, a sparse law gains nothing.
  EXPECT_TRUE(std::holds_alternative<ThresholdLaw>(quietest(4, epsilon("4"), 1)));
  EXPECT_TRUE(std::holds_alternative<ThresholdLaw>(quietest(4096, epsilon("2"), 0.01)));
}

TEST(SparseLaw, RefusesIntegersOutOfRange) {
  const SparseLaw good = quiet(4, epsilon("2"), 0.01);
  const auto refused = [&](auto&& bend) {
    SparseLaw law = good;
    bend(law);
    return !validate(Law(law));
  };
  EXPECT_TRUE(validate(Law(good)));
  EXPECT_TRUE(refused([](SparseLaw& q) { q.nonzero = 0; }));
  EXPECT_TRUE(refused([](SparseLaw& q) { q.nonzero = 3; }));
  EXPECT_TRUE(refused([](SparseLaw& q) { ++q.nonzero; }));  // odd
  EXPECT_TRUE(refused([](SparseLaw& q) { q.nonzero = 65538; }));
  EXPECT_TRUE(validate(Law(SparseLaw{128, 2, 0, std::uint64_t{1} << 63})));
  EXPECT_TRUE(refused([](SparseLaw& q) { q.tau = 4; }));
  EXPECT_TRUE(refused([](SparseLaw& q) { q.tau = 3; }));  // one vector in far more than 1024
  EXPECT_TRUE(refused([](SparseLaw& q) { q.high_side = 0; }));
  EXPECT_TRUE(refused([](SparseLaw& q) { q.num_signs = 129; }));
  EXPECT_TRUE(refused([](SparseLaw& q) { q.num_signs = 0; }));
}

}  // namespace
}  // namespace futurerand
