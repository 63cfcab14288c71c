#include "futurerand/core/plan/recommendation.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"

namespace futurerand {
namespace {

Protocol best(Period periods, std::uint32_t changes, const char* budget = "1") {
  return recommended_plan(periods, changes, epsilon(budget))->protocol;
}

TEST(Recommendation, IsInnovationWhereChangesAreFew) {
  for (const char* budget : {"0.5", "1"}) {
    EXPECT_EQ(best(256, 4, budget), Protocol::kInnovation);
    EXPECT_EQ(best(1024, 4, budget), Protocol::kInnovation);
    EXPECT_EQ(best(64, 16, budget), Protocol::kHybrid);  // d/k = 4
  }
  EXPECT_EQ(best(128, 16), Protocol::kInnovation);  // d/k = 8
}

TEST(Recommendation, IsHybridWhereInnovationCannotServe) {
  EXPECT_EQ(best(1, 1), Protocol::kHybrid);
  EXPECT_EQ(best(8, 8), Protocol::kHybrid);
  EXPECT_EQ(best(5000, 4), Protocol::kHybrid);
  EXPECT_FALSE(recommended_plan(0, 4, epsilon("1")));
}

}  // namespace
}  // namespace futurerand
