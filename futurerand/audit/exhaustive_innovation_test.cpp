#include "futurerand/audit/exhaustive_innovation.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/device/test/innovation_plans.hpp"

namespace futurerand {
namespace {

void expect_private_and_unbiased(const Plan& plan, Period joined) {
  const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
  ASSERT_TRUE(certified) << certified.error().message;
  const Result<ExhaustiveAudit> audit = audit_innovation_exhaustively(*certified, joined);
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

TEST(ExhaustiveInnovation, EveryPlanOfTheDesignIsPrivateAndUnbiased) {
  for (const Period d : {2U, 3U, 4U, 5U, 6U, 7U}) {
    for (std::uint32_t k = 1; k < d && k <= 3; ++k) {
      for (const char* budget : {"1", "2", "4", "8"}) {
        expect_private_and_unbiased(*make_plan(Protocol::kInnovation, d, k, epsilon(budget)), 1);
      }
    }
  }
}

TEST(ExhaustiveInnovation, LateJoinersToo) {
  const Plan plan = *make_plan(Protocol::kInnovation, 5, 2, epsilon("1"));
  for (Period joined = 1; joined <= 5; ++joined) expect_private_and_unbiased(plan, joined);
}

// The weights of the design are one choice of many: privacy must not hang on it.
TEST(ExhaustiveInnovation, OtherWeightsToo) {
  const std::vector<LawLevels> all = {
      {{1, 7, 1}, {1, 5, 1}, {1, 3, 1}, {2, 1, 1}},
      {{2, 100, 1}, {2, 99, 1}, {1, 40, 1}},
      {{1, 3, 1}, {5, 3, 1}},
      {{2, 9, 1}, {1, 9, 1}, {2, 4, 1}},
  };
  for (const LawLevels& levels : all) {
    for (const std::uint32_t theta_share : {3U, 6U}) {
      expect_private_and_unbiased(innovation_plan_of(levels, theta_share, 1, epsilon("1"), 0), 1);
    }
  }
}

// The design is quiet for longer horizons only; the device's code and the certificate are the same
// for these.
TEST(ExhaustiveInnovation, SparseLawsArePrivateAndUnbiased) {
  for (const char* budget : {"4", "8"}) {
    for (const std::uint32_t rarity : {2U, 3U, 7U}) {
      expect_private_and_unbiased(
          innovation_plan_of({{1, 9, 1}, {1, 5, 1}, {3, 2, 1}}, 9, 1, epsilon(budget), rarity), 1);
      expect_private_and_unbiased(
          innovation_plan_of({{2, 4, 1}, {2, 3, 1}}, 4, 2, epsilon(budget), rarity), 1);
      expect_private_and_unbiased(
          innovation_plan_of({{3, 5, 1}, {1, 1, 1}}, 5, 3, epsilon(budget), rarity), 1);
    }
    for (Period joined = 2; joined <= 5; ++joined) {
      expect_private_and_unbiased(
          innovation_plan_of({{1, 9, 1}, {1, 5, 1}, {3, 2, 1}}, 4, 1, epsilon(budget), 2), joined);
    }
  }
}

TEST(ExhaustiveInnovation, HasALimit) {
  const Plan plan = *make_plan(Protocol::kInnovation, 11, 2, epsilon("1"));
  EXPECT_FALSE(audit_innovation_exhaustively(*CertifiedPlan::create(plan)));
}

}  // namespace
}  // namespace futurerand
