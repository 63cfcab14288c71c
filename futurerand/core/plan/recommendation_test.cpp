#include "futurerand/core/plan/recommendation.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"

namespace futurerand {
namespace {

Protocol best(Period periods, std::uint32_t changes, const char* budget = "1") {
  return most_accurate_plan(periods, changes, epsilon(budget))->protocol;
}
Protocol best_of_active(Period periods, std::uint32_t changes) {
  return recommended_plan(periods, changes, epsilon("1"))->protocol;
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
  EXPECT_FALSE(most_accurate_plan(0, 4, epsilon("1")));
}

TEST(Recommendation, ShowsWhoIsActiveWhereItCan) {
  EXPECT_EQ(best_of_active(64, 16), Protocol::kInnovation);  // hybrid is more accurate
  EXPECT_EQ(best_of_active(256, 4), Protocol::kInnovation);
  EXPECT_EQ(best_of_active(8, 8), Protocol::kHybrid);
  EXPECT_EQ(best_of_active(5000, 4), Protocol::kHybrid);
  EXPECT_FALSE(recommended_plan(0, 4, epsilon("1")));
}

TEST(Recommendation, IsOnceForFactsThatNeverChange) {
  const Coding number = *Coding::create(NumberCoding{0, 1, ""});
  for (const Period periods : {1U, 2U, 256U, 5000U}) {
    EXPECT_EQ(most_accurate_plan(periods, 0, epsilon("1"), Initial::kUnknown)->protocol,
              Protocol::kOnce);
    EXPECT_EQ(recommended_plan(periods, 0, epsilon("4"), Initial::kUnknown)->protocol,
              Protocol::kOnce);
  }
  EXPECT_EQ(recommended_plan(256, 0, epsilon("1"), Initial::kUnknown, number)->protocol,
            Protocol::kInnovation);
  EXPECT_EQ(recommended_plan(256, 1, epsilon("1"), Initial::kUnknown)->protocol,
            Protocol::kInnovation);
}

}  // namespace
}  // namespace futurerand
