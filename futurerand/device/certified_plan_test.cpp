#include "futurerand/device/certified_plan.hpp"

#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(CertifiedPlan, RefusesWhatLosesMoreThanItSays) {
  Plan plan = *make_plan(Protocol::kHybrid, 64, 4, *Epsilon::parse("1"));
  ASSERT_TRUE(CertifiedPlan::create(plan));
  plan.epsilon = *Epsilon::parse("0.999999999");
  const Result<CertifiedPlan> refused = CertifiedPlan::create(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "view 0 may lose epsilon 1.000000; expected at most the plan's 0.999999999");
  plan.views.clear();
  EXPECT_FALSE(CertifiedPlan::create(plan));
}

// The threshold of one view, the last, is one more: the server's rounding is not trusted.
TEST(CertifiedPlan, LooksAtEveryView) {
  Plan plan = *make_plan(Protocol::kHybrid, 64, 4, *Epsilon::parse("1"));
  auto* law = std::get_if<ThresholdLaw>(&plan.views.back().law);
  ASSERT_NE(law, nullptr);
  ++law->low_side;
  const Result<CertifiedPlan> refused = CertifiedPlan::create(plan);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("view " + std::to_string(plan.views.size() - 1)),
            std::string::npos);
}

}  // namespace
}  // namespace futurerand
