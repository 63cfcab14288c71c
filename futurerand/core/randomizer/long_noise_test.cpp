// Noise vectors of more than 256 symbols, position by position. The frequency of each symbol is
// compared with probabilities added up here from the laws' definitions. And no block of 64, 128 or
// 256 symbols repeats another.
//
// By Chernoff's bound a frequency f of n draws with probability p has n KL(f || p) > x with
// probability 2 e^-x at most. With x = 35 for each of the 5,000 comparisons or fewer, and with
// fixed seeds, this test fails by chance for one choice of seeds in 10^11.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

constexpr std::uint32_t kDraws = 10'000;
constexpr double kMostSurprise = 35;

double surprise(double count, double p) {
  const double f = count / kDraws;
  const auto part = [](double x, double y) { return x == 0 ? 0 : x * std::log(x / y); };
  return kDraws * (part(f, p) + part(1 - f, 1 - p));
}

struct Symbol {
  double minus;
  double zero;
};

// Draws many vectors; `expected` gives the probabilities of a position's symbols.
void expect_symbols(const Law& law, const std::function<Symbol(std::uint32_t)>& expected,
                    std::uint64_t seed) {
  const Result<LawSampler> sampler = LawSampler::create(law);
  ASSERT_TRUE(sampler) << sampler.error().message;
  const std::uint32_t size = num_signs(law);
  const bool sparse = may_be_zero(law);
  test::SeededSource source(seed);
  std::vector<double> minus(size), zero(size);
  constexpr std::uint32_t kLags[] = {1, 64, 128, 256};
  std::vector<std::vector<double>> together(std::size(kLags), std::vector<double>(size));
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const SignVector drawn = *sampler->draw(source);
    for (std::uint32_t j = 0; j < size; ++j) {
      const Sign symbol = drawn.at(j);
      minus[j] += symbol == Sign::kMinus;
      zero[j] += symbol == Sign::kZero;
      for (std::size_t lag = 0; lag < std::size(kLags) && kLags[lag] <= j; ++lag) {
        const Sign before = drawn.at(j - kLags[lag]);
        // Of a sparse law both are rarely not zero; of others both are the same half of the time.
        together[lag][j] +=
            sparse ? symbol != Sign::kZero && before != Sign::kZero : symbol == before;
      }
    }
  }
  for (std::uint32_t j = 0; j < size; ++j) {
    const Symbol p = expected(j);
    EXPECT_LT(surprise(minus[j], p.minus), kMostSurprise) << "minus at " << j;
    if (sparse) {
      EXPECT_LT(surprise(zero[j], p.zero), kMostSurprise) << "zero at " << j;
    }
    for (std::size_t lag = 0; lag < std::size(kLags) && kLags[lag] <= j; ++lag) {
      const double most = sparse ? 2 * (1 - p.zero) * (1 - p.zero) : 0.6;
      EXPECT_LT(together[lag][j] / kDraws, most) << j << " and " << kLags[lag] << " before it";
      if (!sparse) {
        EXPECT_GT(together[lag][j] / kDraws, 0.4) << j << " and " << kLags[lag] << " before it";
      }
    }
  }
}

// The probability of a sum of `least` or more, for symbols of weights `weights`, each +-1 with
// probability `one`.
double share_at_least(const std::vector<std::uint32_t>& weights, double one, int least) {
  int total = 0;
  for (const std::uint32_t weight : weights) total += static_cast<int>(weight);
  std::vector<double> chance(static_cast<std::size_t>(2 * total + 1));
  chance[static_cast<std::size_t>(total)] = 1;
  for (const std::uint32_t weight : weights) {
    std::vector<double> next(chance.size());
    for (std::size_t s = 0; s < chance.size(); ++s) {
      if (chance[s] == 0) continue;
      next[s - weight] += one * chance[s];
      next[s] += (1 - 2 * one) * chance[s];
      next[s + weight] += one * chance[s];
    }
    chance.swap(next);
  }
  double sum = 0;
  for (int s = least; s <= total; ++s) sum += chance[static_cast<std::size_t>(s + total)];
  return sum;
}

// The probabilities of a symbol of weight `own`, for a law with scores of at least theta with
// probability `high`.
Symbol symbol_of(std::vector<std::uint32_t> weights, std::uint32_t own, double one, int theta,
                 double high) {
  const double share = share_at_least(weights, one, theta);
  weights.erase(std::find(weights.begin(), weights.end(), own));
  const auto weight_of = [&](int symbol) {
    const double rest = share_at_least(weights, one, theta - symbol * static_cast<int>(own));
    return high / share * rest + (1 - high) / (1 - share) * (1 - rest);
  };
  return {one * weight_of(-1), (1 - 2 * one) * weight_of(0)};
}

std::uint64_t over_two_to_64(double share) {
  return static_cast<std::uint64_t>(std::ldexp(share, 64));
}

TEST(LongNoise, OfAProductLaw) {
  const ProductLaw law{600, over_two_to_64(0.45)};
  expect_symbols(
      law,
      [](std::uint32_t) {
        return Symbol{0.45, 0};
      },
      1);
}

TEST(LongNoise, OfAThresholdLaw) {
  for (const double high : {0.5, 0.9}) {
    // At most 290 minus signs of 600 are a score of at least 20.
    const std::vector<std::uint32_t> weights(600, 1);
    const Symbol symbol = symbol_of(weights, 1, 0.5, 20, high);
    expect_symbols(
        ThresholdLaw{600, 290, over_two_to_64(high)}, [&](std::uint32_t) { return symbol; }, 2);
  }
}

// The low side has very few vectors. So a count is drawn first, and then a subset.
TEST(LongNoise, OfARareRegion) {
  const std::vector<std::uint32_t> weights(300, 1);
  const Symbol symbol = symbol_of(weights, 1, 0.5, 100, 0.3);
  expect_symbols(
      ThresholdLaw{300, 100, over_two_to_64(0.3)}, [&](std::uint32_t) { return symbol; }, 3);
}

TEST(LongNoise, OfAnAnnulusLaw) {
  const AnnulusLaw law{600, over_two_to_64(0.48), 280, 295};
  // Counts inside are those of the product; outside all vectors are alike.
  double inside = 0, inside_minus = 0, outside = 0, outside_vectors = 0, outside_minus = 0;
  for (std::uint32_t i = 0; i <= 600; ++i) {
    const double vectors = std::exp(std::lgamma(601) - std::lgamma(i + 1) - std::lgamma(601 - i) -
                                    600 * std::log(2.0));
    const double chance = vectors * std::exp(i * std::log(0.96) + (600 - i) * std::log(1.04));
    if (law.keeps(i)) {
      inside += chance;
      inside_minus += chance * i / 600;
    } else {
      outside += chance;
      outside_vectors += vectors;
      outside_minus += vectors * i / 600;
    }
  }
  const double minus = inside_minus + outside * outside_minus / outside_vectors;
  ASSERT_NEAR(inside + outside, 1, 1e-9);
  expect_symbols(
      law,
      [&](std::uint32_t) {
        return Symbol{minus, 0};
      },
      4);
}

TEST(LongNoise, OfASparseLaw) {
  const std::vector<std::uint32_t> weights(128, 1);
  const Symbol symbol = symbol_of(weights, 1, 0.125, 4, 0.6);
  expect_symbols(
      SparseLaw{128, 1U << 14, 3, over_two_to_64(0.6)}, [&](std::uint32_t) { return symbol; }, 5);
}

TEST(LongNoise, OfInnovation) {
  for (const bool sparse : {false, true}) {
    const double one = sparse ? 0.125 : 0.5;
    std::vector<std::uint32_t> weights(600, 1);
    for (std::uint32_t j = 0; j < 20; ++j) weights[j] = 5;
    const int theta = sparse ? 12 : 20;
    const Symbol fresh = symbol_of(weights, 5, one, theta, 0.6);
    const Symbol old = symbol_of(weights, 1, one, theta, 0.6);
    const WeightedThresholdLaw law{600,
                                   {{20, 5, 2}, {580, 1, 1}},
                                   static_cast<std::uint32_t>(theta),
                                   over_two_to_64(0.6),
                                   SparseLaw::kUnits >> (sparse ? 2 : 0)};
    expect_symbols(
        law, [&](std::uint32_t j) { return j < 20 ? fresh : old; }, sparse ? 6 : 7);
  }
}

}  // namespace
}  // namespace futurerand
