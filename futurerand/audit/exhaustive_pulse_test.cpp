#include "futurerand/audit/exhaustive_pulse.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {
namespace {

Plan plan_with(Period periods, std::uint32_t window, std::uint32_t pulses, const char* budget) {
  PulseLaw law{periods + window, window, pulses, 1};
  law.high_side = largest_high_side(law, exp_below(epsilon(budget).nanos()));
  return {Protocol::kPulse, periods, 1, epsilon(budget), {{ViewKind::kPulse, 0, 1, law}}};
}

void expect_private_unbiased_and_online(const Plan& plan, Period joined) {
  const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
  ASSERT_TRUE(certified) << certified.error().message;
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    SCOPED_TRACE(std::to_string(plan.num_periods) + " periods, epsilon " + plan.epsilon.text() +
                 ", view " + std::to_string(v) + ", from " + std::to_string(joined));
    const Result<ExhaustiveAudit> audit = audit_pulse_exhaustively(*certified, v, joined);
    ASSERT_TRUE(audit) << audit.error().message;
    EXPECT_TRUE(audit->property_one);
    EXPECT_TRUE(audit->property_two);
    EXPECT_TRUE(audit->property_three);
    EXPECT_TRUE(audit->ratio_bounded);
    EXPECT_EQ(audit->num_inputs, std::uint64_t{1} << (plan.num_periods - joined + 1));
    if (joined > 1) continue;
    EXPECT_NEAR(audit->exact_epsilon, certify(plan)->views[v].exact_epsilon, 1e-12);
    EXPECT_NEAR(audit->exact_epsilon, plan.epsilon.value(), 1e-12);
  }
}

TEST(ExhaustivePulse, EveryPlanOfTheDesignIsPrivateUnbiasedAndOnline) {
  for (Period d = 2; d <= 8; ++d) {
    for (const char* budget : {"0.5", "1", "2", "4", "8"}) {
      expect_private_unbiased_and_online(*make_plan(Protocol::kPulse, d, 1, epsilon(budget)), 1);
    }
  }
}

TEST(ExhaustivePulse, OtherWindowsAndPulsesToo) {
  for (const std::uint32_t window : {1U, 2U, 3U, 6U}) {
    for (const std::uint32_t pulses : {1U, 2U, 3U, 6U}) {
      expect_private_unbiased_and_online(plan_with(6, window, pulses, "1"), 1);
      expect_private_unbiased_and_online(plan_with(6, window, pulses, "4"), 1);
    }
  }
}

TEST(ExhaustivePulse, LateJoinersToo) {
  const Plan plan = *make_plan(Protocol::kPulse, 6, 1, epsilon("2"));
  for (Period joined = 1; joined <= 6; ++joined) expect_private_unbiased_and_online(plan, joined);
}

// The certificate is exact: one more unit of the threshold spends too much.
TEST(ExhaustivePulse, AnOverstatedThresholdIsRefused) {
  for (const Period d : {6U, 8U, 64U, 256U}) {
    for (const char* budget : {"0.5", "2", "4"}) {
      const Plan plan = *make_plan(Protocol::kPulse, d, 1, epsilon(budget));
      ASSERT_TRUE(certify(plan)->certified());
      for (std::size_t v = 0; v < plan.views.size(); ++v) {
        for (const std::uint64_t more : {std::uint64_t{1}, std::uint64_t{1} << 32}) {
          Plan overstated = plan;
          std::get<PulseLaw>(overstated.views[v].law).high_side += more;
          EXPECT_FALSE(certify(overstated)->certified());
          EXPECT_FALSE(CertifiedPlan::create(overstated));
        }
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
