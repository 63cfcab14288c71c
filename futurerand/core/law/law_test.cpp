#include "futurerand/core/law/law.hpp"

#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/annulus.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/warner.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Generated laws, and other integers that only a server would send.
std::vector<Law> laws_of(std::uint32_t k) {
  std::vector<Law> laws;
  for (const LawName name : kLawNames) {
    for (const char* text : {"0.000001", "0.25", "1", "16"}) {
      if (Result<Law> law = make_law(name, k, epsilon(text))) laws.push_back(*law);
    }
  }
  for (const std::uint64_t flip : {std::uint64_t{1}, kHalf / 3, kHalf - 1}) {
    laws.push_back(ProductLaw{k, flip});
    laws.push_back(SingleLaw{k, flip});
    laws.push_back(AnnulusLaw{k, flip, 0, k});
    laws.push_back(AnnulusLaw{k, flip, k / 3, k / 3});
    laws.push_back(AnnulusLaw{k, flip, k / 2, k});
    laws.push_back(AnnulusLaw{k, flip, 0, k / 2});
    laws.push_back(AnnulusLaw{k, flip, k / 3, 2 * k / 3});
  }
  for (const std::uint64_t low_side : {std::uint64_t{1}, kHalf / 3, kAll}) {
    laws.push_back(ThresholdLaw{k, 0, low_side});
    laws.push_back(ThresholdLaw{k, k / 2 == k ? 0 : k / 2, low_side});
    laws.push_back(ThresholdLaw{k, k - 1, low_side});
  }
  return laws;
}

std::string describe(const Law& law) {
  std::string text =
      "shape " + std::to_string(law.index()) + ", k " + std::to_string(num_signs(law));
  if (const auto* a = std::get_if<AnnulusLaw>(&law)) {
    text += " [" + std::to_string(a->first_kept) + ", " + std::to_string(a->last_kept) + "] flip " +
            std::to_string(a->flip);
  }
  if (const auto* t = std::get_if<ThresholdLaw>(&law)) text += " tau " + std::to_string(t->tau);
  return text;
}

Fraction sum(const Fraction& a, const Fraction& b) {
  if (a.denominator == b.denominator) return {a.numerator + b.numerator, a.denominator};
  return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
}

// Sums C(k,i) P(i) factor(i) over i, from nothing but `probability`. The sum is reduced now and
// then, because it has many denominators.
template <typename Factor>
Fraction sum_over_counts(const Law& law, Factor&& factor) {
  const std::uint32_t k = num_signs(law);
  Fraction total{0};
  for (BinomialRow row(k); row.index() <= k; row.advance()) {
    const Fraction p = probability(law, row.index());
    total = sum(total, {p.numerator * row.value() * factor(row.index()), p.denominator});
    const BigInt common = gcd(total.numerator, total.denominator);
    if (common > 1) total = {total.numerator / common, total.denominator / common};
  }
  return total;
}

TEST(Law, ProbabilitiesSumToOneExactly) {
  for (const std::uint32_t k : {1U, 2U, 3U, 4U, 7U, 16U, 33U, 64U}) {
    for (const Law& law : laws_of(k)) {
      ASSERT_TRUE(validate(law)) << describe(law);
      EXPECT_TRUE(equal(sum_over_counts(law, [](std::uint32_t) { return 1; }), {1}))
          << describe(law);
    }
  }
}

TEST(Law, GapIsTheDirectSum) {
  for (const std::uint32_t k : {1U, 2U, 3U, 4U, 7U, 16U, 33U, 64U}) {
    for (const Law& law : laws_of(k)) {
      const Fraction lead = sum_over_counts(
          law, [k](std::uint32_t i) { return std::int64_t{k} - 2 * std::int64_t{i}; });
      EXPECT_TRUE(equal(gap(law), {lead.numerator, lead.denominator * k})) << describe(law);
    }
  }
}

TEST(Law, LossIsTheLargestOverTheSmallestOfAllCounts) {
  for (std::uint32_t k = 1; k <= 64; k = k < 8 ? k + 1 : k * 2) {
    for (const Law& law : laws_of(k)) {
      Fraction smallest = probability(law, 0), largest = smallest;
      for (std::uint32_t i = 1; i <= k; ++i) {
        const Fraction p = probability(law, i);
        if (less_or_equal(p, smallest)) smallest = p;
        if (less_or_equal(largest, p)) largest = p;
      }
      const LossRatio loss = *loss_ratio(law);
      const Fraction written_out{power(loss.base.numerator, loss.exponent),
                                 power(loss.base.denominator, loss.exponent)};
      EXPECT_TRUE(equal(written_out, {largest.numerator * smallest.denominator,
                                      largest.denominator * smallest.numerator}))
          << describe(law);
    }
  }
}

// By Pascal's rule the moment of the low side telescopes; ThresholdLaw::gap relies on it.
TEST(Law, MomentOfTheLowSideIsABinomial) {
  for (std::uint32_t k = 1; k <= 30; ++k) {
    BigInt moment;
    for (std::uint32_t tau = 0; tau < k; ++tau) {
      moment += binomial(k, tau) * (std::int64_t{k} - 2 * std::int64_t{tau});
      EXPECT_EQ(moment, k * binomial(k - 1, tau));
    }
  }
}

TEST(Optimal, TauIsTheBestOfAll) {
  for (std::uint32_t k = 1; k <= 40; ++k) {
    for (const char* text : {"0.000001", "0.1", "1", "3", "8", "16"}) {
      const Fraction e = exp_below(epsilon(text).nanos());
      const BigInt excess = e.numerator - e.denominator;
      // By definition c(tau) = (E-1) C(k-1,tau) / ((E-1) B + 2^k), in exact rationals.
      const auto gap_at = [&](std::uint32_t tau) {
        BigInt low;
        for (std::uint32_t i = 0; i <= tau; ++i) low += binomial(k, i);
        return Fraction{excess * binomial(k - 1, tau), excess * low + (e.denominator << k)};
      };
      const ThresholdLaw law = optimal(k, epsilon(text));
      for (std::uint32_t tau = 0; tau < k; ++tau) {
        EXPECT_TRUE(less_or_equal(gap_at(tau), gap_at(law.tau)))
            << "k " << k << " epsilon " << text << " tau " << tau << " beats " << law.tau;
      }
    }
  }
}

TEST(Optimal, HasTheLargestGapOfTheLaws) {
  for (const std::uint32_t k : {1U, 2U, 5U, 17U, 64U}) {
    for (const char* text : {"0.25", "1", "16"}) {
      const double best = to_double(gap(*make_law(LawName::kOptimal, k, epsilon(text))));
      for (const LawName name : kLawNames) {
        const Result<Law> law = make_law(name, k, epsilon(text));
        if (!law) continue;
        EXPECT_LE(to_double(gap(*law)), best * (1 + 1e-15)) << name_of(name) << " " << k;
      }
    }
  }
}

// Thresholds are the real ones rounded to the safe side, by less than one step.
TEST(Thresholds, AreRoundedTowardLessLoss) {
  for (const std::uint32_t k : {1U, 2U, 5U, 100U, 4096U}) {
    for (const char* text : {"0.000001", "0.000001001", "0.7", "1", "16"}) {
      const Fraction e = exp_below(epsilon(text).nanos(), k);
      const auto odds = [](std::uint64_t flip) { return Fraction{two_to(64) - flip, flip}; };
      const std::uint64_t flip = warner(k, epsilon(text)).flip;
      EXPECT_TRUE(less_or_equal(odds(flip), e)) << k << " " << text;
      EXPECT_FALSE(less_or_equal(odds(flip - 1), e)) << k << " " << text;
    }
  }
}

TEST(Thresholds, OfAnAnnulusAreRoundedTowardLessLossAndInward) {
  const auto odds = [](std::uint64_t flip) {
    return LongFloat(two_to(64) - flip) / LongFloat(flip);
  };
  for (const char* text : {"0.01", "0.3", "1"}) {
    const LongFloat basic(text);
    const AnnulusLaw law = annulus(10, basic, LongFloat(2.25), LongFloat(6.75));
    EXPECT_LE(odds(law.flip), exp(basic)) << text;
    EXPECT_GT(odds(law.flip - 1), exp(basic)) << text;
    EXPECT_EQ(law.first_kept, 3U);
    EXPECT_EQ(law.last_kept, 6U);
  }
  const AnnulusLaw clipped = annulus(10, LongFloat(1), LongFloat(-2.25), LongFloat(17));
  EXPECT_EQ(clipped.first_kept, 0U);
  EXPECT_EQ(clipped.last_kept, 10U);
}

TEST(MakeLaw, RefusesParametersOutOfRangeAndSaysWhatIsRight) {
  for (const LawName name : kLawNames) {
    for (const std::uint32_t k : {0U, 4097U, ~0U}) {
      const Result<Law> law = make_law(name, k, epsilon("1"));
      ASSERT_FALSE(law);
      EXPECT_EQ(law.error().message,
                "max changes " + std::to_string(k) + " is out of range; expected 1 to 4096");
    }
  }
  for (const LawName name : {LawName::kBun, LawName::kFutureRand}) {
    EXPECT_TRUE(make_law(name, 3, epsilon("1")));
    const Result<Law> law = make_law(name, 3, epsilon("1.000000001"));
    ASSERT_FALSE(law);
    EXPECT_NE(law.error().message.find("epsilon 1.000000001 is out of range for " +
                                       std::string(name_of(name)) + "; expected at most 1"),
              std::string::npos);
  }
}

TEST(MakeLaw, AcceptsTheCornersOfItsRange) {
  for (const LawName name : kLawNames) {
    const bool up_to_one = name == LawName::kBun || name == LawName::kFutureRand;
    for (const std::uint32_t k : {1U, 4096U}) {
      for (const char* text : {"0.000001", up_to_one ? "1" : "16"}) {
        const Result<Law> law = make_law(name, k, epsilon(text));
        ASSERT_TRUE(law) << name_of(name) << " " << k << " " << text;
        EXPECT_EQ(num_signs(*law), k);
        EXPECT_GT(gap(*law).numerator, 0);
      }
    }
  }
}

TEST(LawName, NamesGoBothWays) {
  for (const LawName name : kLawNames) EXPECT_EQ(law_named(name_of(name)), name);
  EXPECT_FALSE(law_named("Optimal"));
  EXPECT_FALSE(law_named(""));
}

TEST(Validate, RefusesEachIntegerThatIsOutOfRange) {
  const std::vector<Law> bad = {
      ProductLaw{0, 5},           ProductLaw{(1U << 20) + 1, 5},
      ProductLaw{4, 0},           ProductLaw{4, kHalf},
      ProductLaw{4, kAll},        SingleLaw{0, 5},
      SingleLaw{4097, 5},         SingleLaw{4, 0},
      SingleLaw{4, kHalf},        AnnulusLaw{0, 5, 0, 0},
      AnnulusLaw{4097, 5, 0, 1},  AnnulusLaw{4, 0, 0, 1},
      AnnulusLaw{4, kHalf, 0, 1}, AnnulusLaw{4, 5, 2, 1},
      AnnulusLaw{4, 5, 0, 5},     AnnulusLaw{4, 5, 5, 5},
      AnnulusLaw{4, 5, ~0U, 3},   ThresholdLaw{0, 0, 5},
      ThresholdLaw{4097, 0, 5},   ThresholdLaw{4, 4, 5},
      ThresholdLaw{4, ~0U, 5},    ThresholdLaw{4, 1, 0},
  };
  for (const Law& law : bad) {
    const Status status = validate(law);
    ASSERT_FALSE(status) << describe(law);
    EXPECT_NE(status.error().message.find_first_of("0123456789"), std::string::npos);
  }
  const std::vector<Law> good = {
      ProductLaw{1U << 20, 1},   SingleLaw{4096, kHalf - 1}, AnnulusLaw{4, 5, 0, 4},
      AnnulusLaw{4096, 5, 7, 7}, ThresholdLaw{1, 0, 1},      ThresholdLaw{4096, 4095, kAll},
  };
  for (const Law& law : good) EXPECT_TRUE(validate(law)) << describe(law);
}

}  // namespace
}  // namespace futurerand
