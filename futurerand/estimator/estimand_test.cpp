#include "futurerand/estimator/estimand.hpp"

#include <gtest/gtest.h>

#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::innovation_plan;

TEST(Estimand, IsSaidInWords) {
  EXPECT_EQ(*estimand_named("active"), Estimand::kActive);
  EXPECT_EQ(*estimand_named("enrolled"), Estimand::kEnrolled);
  EXPECT_FALSE(estimand_named("all"));
  EXPECT_TRUE(shows_who_is_active(innovation_plan(8)));
  const Plan hybrid = *make_plan(Protocol::kHybrid, 64, 2, *Epsilon::parse("1"));
  EXPECT_FALSE(shows_who_is_active(hybrid));
  EXPECT_NE(counted_in_words(Estimand::kActive, 7).find("7 periods"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
