// Randomizers with realistic faults: the audits must catch each of them.
#include <limits>

#include <gtest/gtest.h>

#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/annulus.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/warner.hpp"
#include "futurerand/core/privacy/certificate.hpp"
#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/sign_randomizer.hpp"
#include "futurerand/core/randomizer/test/chi_square.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

Law optimal_law() { return *make_law(LawName::kOptimal, 2, epsilon("1")); }

ExhaustiveAudit audit_with(const OnlineRun& run) {
  return *audit_exhaustively(optimal_law(), 4, epsilon("1"), run);
}

// Sends one sign for each input, decided by is_minus(noise, input, changes before it, coin).
template <typename IsMinus>
OnlineRun run_with(IsMinus is_minus) {
  return [is_minus](const SignVector& noise, std::span<const std::int8_t> input,
                    std::span<const Sign> coins, std::span<Sign> output) {
    std::uint32_t changes = 0;
    for (std::size_t j = 0; j < input.size(); ++j) {
      output[j] = sign_of(is_minus(noise, input[j], changes, coins[j] == Sign::kMinus));
      if (input[j] != 0) ++changes;
    }
  };
}

TEST(BrokenRandomizer, TheSameThingUnbrokenPasses) {
  const OnlineRun run = run_with([](const SignVector& noise, int v, std::uint32_t j, bool coin) {
    return v == 0 || j >= noise.size() ? coin : noise.is_minus(j) != (v < 0);
  });
  EXPECT_TRUE(audit_with(run).passed());
  EXPECT_TRUE(audit_with(run_sign_randomizer).passed());
}

TEST(BrokenRandomizer, KNotEnforcedIsCaught) {
  const ExhaustiveAudit audit =
      audit_with(run_with([](const SignVector& noise, int v, std::uint32_t j, bool coin) {
        return v == 0 ? coin : noise.is_minus(j % noise.size()) != (v < 0);
      }));
  EXPECT_FALSE(audit.ratio_bounded);
  EXPECT_FALSE(audit.property_one);
  EXPECT_FALSE(audit.property_three);
  EXPECT_EQ(audit.exact_epsilon, std::numeric_limits<double>::infinity());
}

TEST(BrokenRandomizer, SignIgnoredIsCaught) {
  const ExhaustiveAudit audit =
      audit_with(run_with([](const SignVector& noise, int v, std::uint32_t j, bool coin) {
        return v == 0 || j >= noise.size() ? coin : noise.is_minus(j);
      }));
  EXPECT_FALSE(audit.property_two);
  EXPECT_TRUE(audit.ratio_bounded) << "useless, but private";
}

TEST(BrokenRandomizer, OneNoiseSignForAllChangesIsCaught) {
  EXPECT_FALSE(audit_with(run_with([](const SignVector& noise, int v, std::uint32_t j, bool coin) {
                 return v == 0 || j >= noise.size() ? coin : noise.is_minus(0) != (v < 0);
               })).ratio_bounded);
}

TEST(BrokenRandomizer, ChangesPastKLeavingUnrandomizedAreCaught) {
  EXPECT_FALSE(audit_with(run_with([](const SignVector& noise, int v, std::uint32_t j, bool coin) {
                 if (v == 0) return coin;
                 return j >= noise.size() ? v < 0 : noise.is_minus(j) != (v < 0);
               })).passed());
}

TEST(BrokenRandomizer, AZeroThatIsNoCoinIsCaught) {
  const ExhaustiveAudit audit =
      audit_with(run_with([](const SignVector& noise, int v, std::uint32_t j, bool coin) {
        if (v == 0) return false;
        return j >= noise.size() ? coin : noise.is_minus(j) != (v < 0);
      }));
  EXPECT_FALSE(audit.property_three);
  EXPECT_FALSE(audit.ratio_bounded);
}

TEST(BrokenRandomizer, ThresholdsRoundedTheWrongWayAreCaughtForTheSmallestBudget) {
  const Epsilon tiny = epsilon("0.000001");
  for (std::uint32_t k = 1; k <= 3; ++k) {
    ThresholdLaw threshold = optimal(k, tiny);
    ++threshold.low_side;
    EXPECT_FALSE(audit_exhaustively(threshold, k, tiny)->ratio_bounded) << k;
    ProductLaw product = warner(k, tiny);
    --product.flip;
    EXPECT_FALSE(audit_exhaustively(product, k, tiny)->ratio_bounded) << k;
  }
}

TEST(BrokenRandomizer, AnEpsilonTildeTenTimesTooLargeIsCaught) {
  constexpr std::uint32_t k = 4;
  const LongFloat basic = 10 / (5 * sqrt(LongFloat(k)));
  const LongFloat ratio = exp(basic);
  const AnnulusLaw law = annulus(k, basic, k / (ratio + 1) - 2 * sqrt(LongFloat(k)),
                                 k / basic * log(2 * ratio / (ratio + 1)));
  EXPECT_FALSE(audit_exhaustively(law, 4, epsilon("1"))->ratio_bounded);
}

// Here the noise is drawn again for each change: the signs of b become independent, each with the
// same gap as before, and nothing bounds their product any more.
constexpr std::uint32_t kChanges = 4;

TEST(NoiseDrawnAgain, LosesMoreThanEpsilon) {
  const Law law = *make_law(LawName::kOptimal, kChanges, epsilon("1"));
  // P(b_1 = -1) is the sum over i of C(k-1, i-1) P(i).
  Fraction minus{0};
  for (std::uint32_t i = 1; i <= kChanges; ++i) {
    const Fraction p = probability(law, i);
    minus = {minus.numerator * p.denominator +
                 binomial(kChanges - 1, i - 1) * p.numerator * minus.denominator,
             minus.denominator * p.denominator};
  }
  const Fraction loss{power(minus.denominator - minus.numerator, kChanges),
                      power(minus.numerator, kChanges)};
  EXPECT_FALSE(less_or_equal(loss, exp_below(epsilon("1.7").nanos())));
}

// The joint outputs of k changes in a row are compared with the law of b.
double p_value_of_joint_outputs(bool draw_again) {
  const Law law = *make_law(LawName::kOptimal, kChanges, epsilon("1"));
  const Result<LawSampler> sampler = LawSampler::create(law);
  test::SeededSource source(31);
  std::vector<std::uint64_t> observed(1U << kChanges);
  for (int user = 0; user < 100'000; ++user) {
    SignRandomizer randomizer(*sampler->draw(source));
    std::uint32_t minus = 0;
    for (std::uint32_t j = 0; j < kChanges; ++j) {
      if (draw_again) randomizer = SignRandomizer(*sampler->draw(source), j);
      minus |= std::uint32_t{randomizer.randomize(1, false) == Sign::kMinus} << j;
    }
    ++observed[minus];
  }
  std::vector<double> probabilities(observed.size());
  for (std::uint32_t b = 0; b < probabilities.size(); ++b) {
    probabilities[b] = to_double(probability(law, static_cast<std::uint32_t>(std::popcount(b))));
  }
  return test::chi_square_p_value(observed, probabilities);
}

TEST(NoiseDrawnAgain, IsCaughtInJointOutputs) {
  EXPECT_GT(p_value_of_joint_outputs(false), test::kFalseAlarm);
  EXPECT_LT(p_value_of_joint_outputs(true), test::kFalseAlarm);
}

}  // namespace
}  // namespace futurerand
