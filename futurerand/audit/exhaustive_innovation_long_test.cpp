#include <gtest/gtest.h>

#include "futurerand/audit/exhaustive_innovation.hpp"
#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/device/test/innovation_plans.hpp"

namespace futurerand {
namespace {

TEST(ExhaustiveInnovationLong, EveryPlanUpToEightPeriods) {
  for (Period d = 2; d <= 8; ++d) {
    for (std::uint32_t k = 1; k < d && k <= 3; ++k) {
      for (const char* budget : {"0.5", "1", "2", "4"}) {
        const CertifiedPlan plan =
            *CertifiedPlan::create(*make_plan(Protocol::kInnovation, d, k, epsilon(budget)));
        for (const Period joined : {Period{1}, d / 2 + 1}) {
          EXPECT_TRUE(audit_innovation_exhaustively(plan, joined)->passed())
              << d << " " << k << " " << budget << " " << joined;
        }
      }
    }
  }
}

// Every history of thirds of the range, from any period on. The loss equals the certificate's.
TEST(ExhaustiveInnovationLong, NumbersOverSixPeriods) {
  const Coding number = *Coding::create(NumberCoding{0, 100, "ms"});
  for (const Initial initial : {Initial::kZero, Initial::kUnknown}) {
    for (const std::uint32_t k : {1U, 2U}) {
      const Plan plan = *make_plan(Protocol::kInnovation, 6, k, epsilon("1"), initial, number);
      for (Period joined = 1; joined <= 6; ++joined) {
        const auto audit = audit_innovation_exhaustively(*CertifiedPlan::create(plan), joined);
        ASSERT_TRUE(audit);
        EXPECT_TRUE(audit->passed()) << k << " " << joined;
        if (joined > 1) continue;
        EXPECT_GE(audit->exact_epsilon, initial == Initial::kZero ? 1 - 1e-9 : 0.95) << k;
      }
    }
  }
}

// The design is quiet for longer horizons only, so these have weights of their own.
TEST(ExhaustiveInnovationLong, SparsePlansUpToEightPeriods) {
  for (const char* budget : {"4", "8"}) {
    for (const Plan& terms :
         {innovation_plan_of({{1, 9, 1}, {1, 5, 1}, {6, 2, 1}}, 9, 1, epsilon(budget), 3),
          innovation_plan_of({{2, 7, 1}, {2, 4, 1}, {3, 3, 1}}, 4, 2, epsilon(budget), 2),
          innovation_plan_of({{3, 5, 1}, {5, 1, 1}}, 5, 3, epsilon(budget), 5)}) {
      const CertifiedPlan plan = *CertifiedPlan::create(terms);
      EXPECT_TRUE(audit_innovation_exhaustively(plan)->passed())
          << budget << " " << terms.num_periods;
    }
  }
}

}  // namespace
}  // namespace futurerand
