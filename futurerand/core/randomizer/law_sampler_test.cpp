#include "futurerand/core/randomizer/law_sampler.hpp"

#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/law/sparse.hpp"
#include "futurerand/core/randomizer/test/chi_square.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

using test::ScriptedSource;
using test::SeededSource;

struct Case {
  std::string name;
  Law law;
};

std::vector<Case> cases_of(std::uint32_t k) {
  std::vector<Case> cases;
  for (const LawName name : kLawNames) {
    for (const char* text : {"0.000001", "1", "5"}) {
      if (const Result<Law> law = make_law(name, k, epsilon(text))) {
        cases.push_back({std::string(name_of(name)) + " " + text, *law});
      }
    }
  }
  // At epsilon 1 an annulus keeps nearly all or about half; these keep little, or the far side.
  const std::uint64_t third = ~std::uint64_t{0} / 3;
  cases.push_back({"narrow annulus", AnnulusLaw{k, third, k / 2, k / 2}});
  cases.push_back({"left annulus", AnnulusLaw{k, third, 0, k / 4}});
  cases.push_back({"high threshold", ThresholdLaw{k, k - 1, ~std::uint64_t{0} / 5}});
  return cases;
}

TEST(LawSampler, EveryVectorHasTheProbabilityOfItsLaw) {
  constexpr std::uint32_t kSigns = 4;
  for (const auto& [name, law] : cases_of(kSigns)) {
    std::vector<double> probabilities(1U << kSigns);
    for (std::uint32_t b = 0; b < probabilities.size(); ++b) {
      probabilities[b] = to_double(probability(law, static_cast<std::uint32_t>(std::popcount(b))));
    }
    const Result<LawSampler> sampler = LawSampler::create(law);
    ASSERT_TRUE(sampler);
    SeededSource source(11);
    std::vector<std::uint64_t> observed(probabilities.size());
    for (int i = 0; i < 200'000; ++i) ++observed[sampler->draw(source)->word(0)];
    EXPECT_GT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm) << name;
  }
}

TEST(LawSampler, CountsOfLongVectorsHaveTheProbabilityOfTheirLaw) {
  for (const std::uint32_t k : {33U, 64U, 130U}) {
    for (const auto& [name, law] : cases_of(k)) {
      std::vector<double> probabilities;
      for (BinomialRow row(k); row.index() <= k; row.advance()) {
        const Fraction p = probability(law, row.index());
        probabilities.push_back(to_double({row.value() * p.numerator, p.denominator}));
      }
      const Result<LawSampler> sampler = LawSampler::create(law);
      ASSERT_TRUE(sampler);
      SeededSource source(k);
      std::vector<std::uint64_t> observed(k + 1);
      for (int i = 0; i < 20'000; ++i) ++observed[sampler->draw(source)->count_minus()];
      EXPECT_GT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm)
          << name << " " << k;
    }
  }
}

// Returns all 3^k vectors of symbols.
TEST(LawSampler, EveryVectorOfAQuietLawHasItsProbability) {
  constexpr std::uint32_t kSigns = 3;
  for (const char* text : {"0.5", "2", "5"}) {
    const Law law = quiet(kSigns, epsilon(text), 0.01);
    const Result<LawSampler> sampler = LawSampler::create(law);
    ASSERT_TRUE(sampler);
    const auto number_of = [](const SignVector& b) {
      return static_cast<std::size_t>(static_cast<int>(b.at(0)) + 1 +
                                      3 * (static_cast<int>(b.at(1)) + 1) +
                                      9 * (static_cast<int>(b.at(2)) + 1));
    };
    std::vector<double> probabilities(27);
    for (int n = 0; n < 27; ++n) {
      std::uint32_t minus = 0, silent = 0;
      for (const int digit : {n % 3, n / 3 % 3, n / 9}) minus += digit == 0, silent += digit == 1;
      probabilities[static_cast<std::size_t>(n)] = to_double(probability(law, minus, silent));
    }
    SeededSource source(15);
    std::vector<std::uint64_t> observed(27);
    for (int i = 0; i < 300'000; ++i) ++observed[number_of(*sampler->draw(source))];
    EXPECT_GT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm) << text;
  }
}

// The chi-square must bite: it compares the sampler of one law with the probabilities of a near
// one.
TEST(LawSampler, ASamplerOfAnotherLawIsCaught) {
  constexpr std::uint32_t kSigns = 4;
  const Law right = *make_law(LawName::kOptimal, kSigns, epsilon("1"));
  for (const Law& wrong : {*make_law(LawName::kOptimal, kSigns, epsilon("1.1")),
                           *make_law(LawName::kWarner, kSigns, epsilon("1")),
                           *make_law(LawName::kErlingsson, kSigns, epsilon("1"))}) {
    std::vector<double> probabilities(kSigns + 1);
    for (std::uint32_t i = 0; i <= kSigns; ++i) {
      const Fraction p = probability(right, i);
      probabilities[i] = to_double({binomial(kSigns, i) * p.numerator, p.denominator});
    }
    const Result<LawSampler> sampler = LawSampler::create(wrong);
    SeededSource source(12);
    std::vector<std::uint64_t> observed(kSigns + 1);
    for (int i = 0; i < 200'000; ++i) ++observed[sampler->draw(source)->count_minus()];
    EXPECT_LT(test::chi_square_p_value(observed, probabilities), test::kFalseAlarm);
  }
}

TEST(LawSampler, TheLowSideIsTakenBelowItsThresholdOnly) {
  const ThresholdLaw law{4, 1, 1000};
  const Result<LawSampler> sampler = LawSampler::create(law);
  const auto count_after = [&](std::uint64_t first_word) {
    ScriptedSource source({first_word, 0b0001, 0b1111});
    const Result<SignVector> noise = sampler->draw(source);
    return noise->count_minus();
  };
  EXPECT_EQ(count_after(999), 1U);
  EXPECT_EQ(count_after(1000), 4U);  // 0001 is rejected on the high side
}

TEST(LawSampler, WordsAreReadInTheSameOrderWithEveryCompiler) {
  const Result<LawSampler> sampler = LawSampler::create(SingleLaw{4, 1000});
  ScriptedSource source({0b0000, 2, 999});  // fair signs, the kept position, its sign
  EXPECT_EQ(sampler->draw(source)->word(0), 0b0100U);
}

TEST(LawSampler, WithoutEntropyThereIsNoVector) {
  for (const std::uint32_t k : {4U, 130U}) {
    for (const auto& [name, law] : cases_of(k)) {
      const Result<LawSampler> sampler = LawSampler::create(law);
      SeededSource counting(13);
      ASSERT_TRUE(sampler->draw(counting));
      std::vector<std::uint64_t> script(counting.words_given());
      SeededSource again(13);
      ASSERT_TRUE(again.fill(script));
      // The source is one word short, at every possible place.
      while (!script.empty()) {
        script.pop_back();
        ScriptedSource source(script);
        const Result<SignVector> noise = sampler->draw(source);
        ASSERT_FALSE(noise) << name << " with " << script.size() << " words";
        EXPECT_EQ(noise.error().message, "the random source failed; no noise was drawn");
      }
    }
  }
}

TEST(LawSampler, WorkIsBoundedForTheMostChanges) {
  for (const auto& [name, law] : cases_of(kMaxChanges)) {
    const Result<LawSampler> sampler = LawSampler::create(law);
    SeededSource source(14);
    constexpr int kDraws = 20;
    for (int i = 0; i < kDraws; ++i) ASSERT_TRUE(sampler->draw(source)) << name;
    EXPECT_LT(source.words_given(), std::uint64_t{kDraws} * 8 * 1024) << name;
  }
}

TEST(LawSampler, RefusesIntegersOutOfRange) {
  EXPECT_FALSE(LawSampler::create(ProductLaw{4, 0}));
  EXPECT_FALSE(LawSampler::create(ThresholdLaw{4, 4, 1}));
  EXPECT_FALSE(LawSampler::create(AnnulusLaw{4, 1, 3, 2}));
}

}  // namespace
}  // namespace futurerand
