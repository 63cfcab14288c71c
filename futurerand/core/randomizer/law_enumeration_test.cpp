// The exact law of the shipped sampler. Words have a few bits, and every tape of words is played.
// Each vector must come with its probability in the certificate.
//
// A draw with rejection may read for ever, so tapes are cut after some words. The chance of success
// of a try depends only on the side of the law. So a vector of a side has probability P(vector)
// times the chance of a success among the tries on a tape.
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/law/law.hpp"
#include "futurerand/core/randomizer/law_draw.hpp"
#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/test/drawn_vectors.hpp"
#include "futurerand/core/randomizer/test/tapes.hpp"

namespace futurerand {
namespace {

using test::all_vectors;
using test::count;
using test::DrawnVectors;
using test::Symbols;
using test::Tapes;

constexpr std::uint64_t threshold(std::uint64_t value, int word_bits) {
  return value << (64 - word_bits);
}

// Returns 1 - failure^tries.
Fraction some_success(const Fraction& failure, std::uint32_t tries) {
  const BigInt all = power(failure.denominator, tries);
  return {all - power(failure.numerator, tries), all};
}

// `side` is the number of a vector's side, `chance` the success probability of one try by side, and
// `tries` the number of tries on a tape.
struct Rejection {
  std::function<int(const Symbols&)> side = [](const Symbols&) { return 0; };
  std::function<Fraction(int)> failure = [](int) { return Fraction{0, 1}; };
  std::uint32_t tries = 1;
};

template <int kWordBits>
void expect_exact(const Law& law, std::uint32_t max_words, const Rejection& rejection,
                  const char* what) {
  ASSERT_TRUE(validate(law)) << what << ": " << validate(law).error().message;
  const LawSampler sampler = *LawSampler::create(law);
  const Tapes tapes(kWordBits, max_words);
  DrawnVectors drawn;
  std::uint64_t undecided = 0;
  tapes.for_each([&](RandomSource& source) { return sampler.draw<kWordBits>(source); },
                 [&](const Result<SignVector>& signs, std::uint64_t weight) {
                   if (signs) drawn.add(*signs, weight);
                   if (!signs) undecided += weight;
                 });
  std::uint64_t decided = 0;
  for (const Symbols& vector : all_vectors(num_signs(law), may_be_zero(law))) {
    const Fraction p = probability(law, count(vector, -1), count(vector, 0));
    const Fraction success =
        some_success(rejection.failure(rejection.side(vector)), rejection.tries);
    // This checks drawn / total == p * success.
    EXPECT_EQ(BigInt(drawn[vector]) * p.denominator * success.denominator,
              p.numerator * success.numerator * BigInt(tapes.total()))
        << what << " k=" << num_signs(law);
    decided += drawn[vector];
  }
  EXPECT_EQ(decided + undecided, tapes.total()) << what;
}

TEST(LawEnumeration, Product) {
  for (const std::uint32_t k : {1U, 2U, 3U, 4U}) {
    for (const std::uint64_t flip : {1U, 3U, 4U, 7U}) {
      expect_exact<4>(ProductLaw{k, threshold(flip, 4)}, 4, {}, "product");
    }
  }
  for (const std::uint64_t flip : {1U, 2U, 3U}) {
    expect_exact<3>(ProductLaw{3, threshold(flip, 3)}, 3, {}, "product");
  }
}

TEST(LawEnumeration, Single) {
  for (const std::uint64_t flip : {1U, 5U, 7U}) {
    for (const std::uint32_t k : {1U, 2U, 4U}) {
      expect_exact<4>(SingleLaw{k, threshold(flip, 4)}, 3, {}, "single");
    }
  }
  expect_exact<8>(SingleLaw{8, threshold(77, 8)}, 3, {}, "single");
  // The position of the sign, among a number other than a power of two, is drawn by rejection.
  for (const std::uint32_t k : {3U, 5U}) {
    const Rejection rejection{[](const Symbols&) { return 0; },
                              [=](int) {
                                return k == 3 ? Fraction{1, 4} : Fraction{3, 8};
                              },
                              2};
    expect_exact<5>(SingleLaw{k, threshold(11, 5)}, 4, rejection, "single");
  }
}

std::uint64_t choose(std::uint32_t n, std::uint32_t k) {
  std::uint64_t result = 1;
  for (std::uint32_t i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

TEST(LawEnumeration, Threshold) {
  for (const std::uint32_t k : {1U, 2U, 3U, 5U, 8U}) {
    for (std::uint32_t tau = 0; tau < k; ++tau) {
      std::uint64_t low = 0;
      for (std::uint32_t i = 0; i <= tau; ++i) low += choose(k, i);
      const std::uint64_t all = std::uint64_t{1} << k;
      const Rejection rejection{
          [=](const Symbols& vector) { return count(vector, -1) <= tau ? 0 : 1; },
          [=](int side) {
            return Fraction{side == 0 ? all - low : low, all};
          },
          1};
      for (const std::uint64_t side : {1U, 128U, 200U, 255U}) {
        expect_exact<8>(ThresholdLaw{k, tau, threshold(side, 8)}, 2, rejection, "threshold");
      }
    }
  }
  // There are two and three tries, and each is a fresh one.
  for (const std::uint32_t tries : {2U, 3U}) {
    const Rejection rejection{[](const Symbols& vector) { return count(vector, -1) <= 1 ? 0 : 1; },
                              [](int side) {
                                return Fraction{side == 0 ? 11 : 5, 16};
                              },
                              tries};
    expect_exact<5>(ThresholdLaw{4, 1, threshold(23, 5)}, 1 + tries, rejection, "threshold");
  }
}

TEST(LawEnumeration, Annulus) {
  constexpr std::uint32_t kSigns = 4;
  for (std::uint32_t first = 0; first <= kSigns; ++first) {
    for (std::uint32_t last = first; last <= kSigns; ++last) {
      std::uint64_t kept = 0;
      for (std::uint32_t i = first; i <= last; ++i) kept += choose(kSigns, i);
      // A vector from outside is drawn after a draw of the product with up to four words. Fewer
      // words leave room for more tries. So only the ratios within each side are exact.
      const AnnulusLaw law{kSigns, threshold(5, 4), first, last};
      const LawSampler sampler = *LawSampler::create(law);
      const Tapes tapes(4, 5);
      DrawnVectors drawn;
      std::uint64_t undecided = 0, outside = 0;
      tapes.for_each([&](RandomSource& source) { return sampler.draw<4>(source); },
                     [&](const Result<SignVector>& signs, std::uint64_t weight) {
                       if (!signs) undecided += weight;
                       if (signs) drawn.add(*signs, weight);
                       if (signs && !law.keeps(signs->count_minus())) outside += weight;
                     });
      const std::uint64_t vectors_outside = 16 - kept;
      for (const Symbols& vector : all_vectors(kSigns, false)) {
        const std::uint32_t minus = count(vector, -1);
        const Fraction p = probability(law, minus);
        if (law.keeps(minus)) {
          EXPECT_EQ(BigInt(drawn[vector]) * p.denominator, p.numerator * BigInt(tapes.total()));
        } else {
          EXPECT_EQ(drawn[vector] * vectors_outside, outside);
          // P is (mass outside) / vectors, and undecided tapes belong to the outside too.
          EXPECT_EQ(BigInt(outside + undecided) * p.denominator,
                    p.numerator * BigInt(tapes.total()) * vectors_outside);
        }
      }
      EXPECT_TRUE(vectors_outside == 0 ? undecided == 0 : undecided < tapes.total() / 2);
    }
  }
}

// Returns P0 of a vector with `spoken` nonzero units of `units`, over units^k.
BigInt null_weight(const Symbols& vector, std::uint64_t spoken, std::uint64_t units) {
  BigInt weight = 1;
  for (const int symbol : vector) weight *= symbol == 0 ? units - spoken : spoken / 2;
  return weight;
}

template <int kWordBits>
void expect_exact_sparse(std::uint32_t k, std::uint32_t spoken, std::uint32_t tau,
                         std::uint64_t side, std::uint32_t tries) {
  constexpr std::uint32_t kUnitBits = kWordBits / 4;
  constexpr std::uint32_t kUnits = 1U << kUnitBits;
  const SparseLaw law{k, spoken << (16 - kUnitBits), tau, threshold(side, kWordBits)};
  if (!validate(Law(law))) return;
  const auto score = [](const Symbols& vector) {
    int sum = 0;
    for (const int symbol : vector) sum += symbol;
    return sum;
  };
  BigInt loud = 0, all = 0;
  for (const Symbols& vector : all_vectors(k, true)) {
    const BigInt weight = null_weight(vector, spoken, kUnits);
    all += weight;
    if (score(vector) > static_cast<int>(tau)) loud += weight;
  }
  const Rejection rejection{
      [=](const Symbols& vector) { return score(vector) > static_cast<int>(tau) ? 0 : 1; },
      [=](int number) {
        return Fraction{number == 0 ? all - loud : loud, all};
      },
      tries};
  expect_exact<kWordBits>(law, 1 + tries * ((k + 3) / 4), rejection, "quiet");
}

TEST(LawEnumeration, Quiet) {
  for (const std::uint32_t k : {1U, 2U, 3U, 4U}) {
    for (std::uint32_t tau = 0; tau < k; ++tau) {
      for (const std::uint32_t spoken : {2U, 4U}) {
        for (const std::uint64_t side : {1U, 200U, 255U}) {
          expect_exact_sparse<8>(k, spoken, tau, side, 1);
        }
      }
    }
  }
  // These need several tries, and vectors of two words.
  for (const std::uint32_t tries : {2U, 3U}) expect_exact_sparse<4>(2, 2, 0, 13, tries);
  for (const std::uint32_t k : {5U, 6U, 8U}) expect_exact_sparse<4>(k, 2, 1, 9, 1);
}

// Every unit of a symbol, as used by devices and defined in law/sparse.md: -1 if u < r/2, else +1
// if u < r, else 0. Its position in the word and its neighbours do not matter.
TEST(LawEnumeration, AllUnitsOfAQuietSymbol) {
  for (const std::uint32_t nonzero : {2U, 4U, 1234U, 32'768U, 65'534U, 65'536U}) {
    std::array<std::uint32_t, 3> counts{};
    for (std::uint64_t unit = 0; unit < 65'536; ++unit) {
      const int expected = 2 * unit < nonzero ? -1 : unit < nonzero ? 1 : 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        for (const std::uint64_t beside : {std::uint64_t{0}, ~std::uint64_t{0}}) {
          const std::uint64_t word =
              (beside & ~(std::uint64_t{0xffff} << (16 * i))) | unit << (16 * i);
          ASSERT_EQ(static_cast<int>(sparse_symbol(word, i, nonzero)), expected) << unit;
        }
      }
      ++counts[static_cast<std::size_t>(expected + 1)];
    }
    EXPECT_EQ(counts, (std::array{nonzero / 2, 65'536 - nonzero, nonzero / 2}));
  }
}

// The devices' thresholds at their edge and in all 64 bits: a word below happens, the threshold
// itself does not.
TEST(LawEnumeration, ThresholdsOfSixtyFourBits) {
  struct OneWord final : RandomSource {
    explicit OneWord(std::uint64_t first) : word(first) {}
    bool fill(std::span<std::uint64_t> words) override {
      for (std::uint64_t& out : words) out = word;
      return true;
    }
    std::uint64_t word;
  };
  for (const std::uint64_t edge :
       {std::uint64_t{1}, std::uint64_t{1} << 63, UINT64_MAX, std::uint64_t{0x123456789abcdef0}}) {
    OneWord below(edge - 1), at(edge);
    EXPECT_TRUE(UniformBits(below).happens(edge));
    EXPECT_FALSE(UniformBits(at).happens(edge));
  }
}

}  // namespace
}  // namespace futurerand
