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

// Raises the threshold of one view by one: the server's rounding is not trusted.
TEST(CertifiedPlan, LooksAtEveryView) {
  const Plan plan = *make_plan(Protocol::kHybrid, 4096, 4, *Epsilon::parse("1"));
  ASSERT_GT(plan.views.size(), 4U);
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    Plan changed = plan;
    if (auto* law = std::get_if<ThresholdLaw>(&changed.views[v].law)) {
      ++law->low_side;
    } else {
      ++std::get<SparseLaw>(changed.views[v].law).high_side;
    }
    const Result<CertifiedPlan> refused = CertifiedPlan::create(changed);
    ASSERT_FALSE(refused) << v;
    EXPECT_NE(refused.error().message.find("view " + std::to_string(v) + " "), std::string::npos)
        << refused.error().message;
  }
}

}  // namespace
}  // namespace futurerand
