#include "futurerand/audit/exhaustive_news.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/plan/innovation_design.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {
namespace {

void expect_private_and_unbiased(const Plan& plan, Period joined) {
  const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
  ASSERT_TRUE(certified) << certified.error().message;
  const Result<ExhaustiveAudit> audit = audit_news_exhaustively(*certified, joined);
  ASSERT_TRUE(audit) << audit.error().message;
  EXPECT_TRUE(audit->passed()) << plan.num_periods << " " << plan.max_changes << " "
                               << plan.epsilon.text() << " " << joined << ": "
                               << audit->property_one << audit->property_two
                               << audit->property_three << audit->ratio_bounded;
  EXPECT_EQ(audit->num_inputs, std::uint64_t{1} << (plan.num_periods - joined + 1));
  if (joined > 1) return;
  // All signs are used by a device that changes as often as planned: the bound is met.
  EXPECT_NEAR(audit->exact_epsilon, certify(plan)->exact_epsilon(), 1e-9);
}

TEST(ExhaustiveNews, EveryPlanOfTheDesignIsPrivateAndUnbiased) {
  for (const Period d : {2U, 3U, 4U, 5U, 6U, 7U}) {
    for (std::uint32_t k = 1; k < d && k <= 3; ++k) {
      for (const char* budget : {"0.5", "1", "2", "4"}) {
        expect_private_and_unbiased(*make_plan(Protocol::kInnovation, d, k, epsilon(budget)), 1);
      }
    }
  }
}

TEST(ExhaustiveNews, LateJoinersToo) {
  const Plan plan = *make_plan(Protocol::kInnovation, 5, 2, epsilon("1"));
  for (Period joined = 1; joined <= 5; ++joined) expect_private_and_unbiased(plan, joined);
}

// The weights of the design are one choice of many: privacy must not hang on it.
TEST(ExhaustiveNews, OtherWeightsToo) {
  using Levels = std::vector<WeightedThresholdLaw::Level>;
  const std::vector<Levels> all = {
      {{1, 7, 1}, {1, 5, 1}, {1, 3, 1}, {2, 1, 1}},
      {{2, 100, 1}, {2, 99, 1}, {1, 40, 1}},
      {{1, 3, 1}, {5, 3, 1}},
      {{2, 9, 1}, {1, 9, 1}, {2, 4, 1}},
  };
  for (const Levels& levels : all) {
    for (const std::uint32_t theta_share : {3U, 6U}) {
      WeightedThresholdLaw law{0, levels, 1, 1};
      for (const auto& level : levels) law.num_signs += level.stock;
      law.theta = std::max(1U, law.total_weight() / theta_share);
      law.loud_side = largest_loud_side(law, epsilon("1"));
      const std::vector<double> gaps = gaps_of(law);
      for (std::size_t l = 0; l < gaps.size(); ++l) {
        // A light sign may never decide; gaps are no matter of privacy.
        law.levels[l].gap =
            static_cast<std::uint64_t>(std::max(1LL, std::llround(gaps[l] * 0x1p40)));
      }
      const Plan plan{
          Protocol::kInnovation, law.num_signs, 1, epsilon("1"), {{ViewKind::kNews, 0, 1, law}}};
      expect_private_and_unbiased(plan, 1);
    }
  }
}

TEST(ExhaustiveNews, HasALimit) {
  const Plan plan = *make_plan(Protocol::kInnovation, 11, 2, epsilon("1"));
  EXPECT_FALSE(audit_news_exhaustively(*CertifiedPlan::create(plan)));
}

}  // namespace
}  // namespace futurerand
