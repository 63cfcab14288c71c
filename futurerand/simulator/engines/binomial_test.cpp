#include "futurerand/simulator/engines/binomial.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/simulator/engines/bit_counter.hpp"

namespace futurerand {
namespace {

PhiloxSource source_of(std::uint64_t number) {
  return {SimulationKey::from_seed(11), Stream::kCoins, 0, number};
}

// Returns Pearson's statistic of Binomial(n, p) counts, n = 6.
template <typename Draw>
double pearson(double p, const Draw& draw) {
  constexpr int kDraws = 200'000;
  constexpr int kN = 6;
  std::array<double, kN + 1> count{};
  for (int i = 0; i < kDraws; ++i) ++count[draw()];
  double statistic = 0;
  double choose = 1;
  for (int i = 0; i <= kN; ++i) {
    const double expected = kDraws * choose * std::pow(p, i) * std::pow(1 - p, kN - i);
    statistic += (count[static_cast<std::size_t>(i)] - expected) *
                 (count[static_cast<std::size_t>(i)] - expected) / expected;
    choose = choose * (kN - i) / (i + 1);
  }
  return statistic;
}

// Chi-square with 6 degrees of freedom exceeds 38.3 with probability 1e-6.
constexpr double kLargest = 38.3;

TEST(Binomial, HasTheExactLaw) {
  PhiloxSource source = source_of(1);
  EXPECT_LT(pearson(0.5, [&] { return binomial_half(source, 6); }), kLargest);
  for (const double p : {0.5, 0.25, 0.731, 0.1}) {
    const auto threshold = static_cast<std::uint64_t>(p * 0x1p64);
    EXPECT_LT(pearson(p, [&] { return binomial(source, 6, threshold); }), kLargest) << p;
  }
}

TEST(Binomial, HasTheRightMomentsAcrossManyWords) {
  constexpr double kN = 1003;
  constexpr double kP = 0.3;
  constexpr int kDraws = 20'000;
  PhiloxSource source = source_of(2);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x =
        static_cast<double>(binomial(source, 1003, static_cast<std::uint64_t>(kP * 0x1p64))) -
        kN * kP;
    sum += x;
    squares += x * x;
  }
  // Each is beyond five standard deviations with probability 6e-7.
  const double variance = kN * kP * (1 - kP);
  EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares / kDraws, variance, 5 * variance * std::sqrt(2.0 / kDraws));
}

TEST(Binomial, EndsAreCertain) {
  PhiloxSource source = source_of(3);
  EXPECT_EQ(binomial_half(source, 0), 0U);
  EXPECT_EQ(binomial(source, 0, 1), 0U);
  EXPECT_EQ(binomial(source, 1000, 0), 0U);
  EXPECT_EQ(binomial(source, 1000, ~std::uint64_t{0}), 1000U);
}

TEST(BitCounter, CountsWhatAPlainLoopCounts) {
  PhiloxSource source = source_of(4);
  BitCounter first;
  BitCounter second;
  std::array<std::uint64_t, 64> plain{};
  for (int n = 0; n < 10'000; ++n) {
    const std::uint64_t bits = n % 3 == 0 ? ~std::uint64_t{0} : source.word();
    (n < 9'000 ? first : second).add(bits);
    for (std::uint32_t i = 0; i < 64; ++i) plain[i] += (bits >> i) & 1U;
  }
  first.merge(second);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(first.count(i), plain[i]);
}

TEST(Philox, StreamsDifferInEveryNumber) {
  const SimulationKey key = SimulationKey::from_seed(1);
  const std::uint64_t word = PhiloxSource(key, Stream::kDevice, 1, 1).word();
  EXPECT_EQ(PhiloxSource(key, Stream::kDevice, 1, 1).word(), word);
  EXPECT_NE(PhiloxSource(key, Stream::kCoins, 1, 1).word(), word);
  EXPECT_NE(PhiloxSource(key, Stream::kDevice, 2, 1).word(), word);
  EXPECT_NE(PhiloxSource(key, Stream::kDevice, 1, 2).word(), word);
  EXPECT_NE(PhiloxSource(SimulationKey::from_seed(2), Stream::kDevice, 1, 1).word(), word);
}

}  // namespace
}  // namespace futurerand
