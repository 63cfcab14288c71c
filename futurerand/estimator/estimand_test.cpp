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
  EXPECT_NE(counted_in_words(Estimand::kActive, EstimatorKind::kOnline, {7}).find("7 periods"),
            std::string::npos);
  const auto says_step = [](EstimatorKind kind, Period periods) {
    return counted_in_words(Estimand::kActive, kind, {7, false, periods})
               .find("from the beginning of the 4 periods in which it left") != std::string::npos;
  };
  EXPECT_TRUE(says_step(EstimatorKind::kOnline, 4096));
  EXPECT_FALSE(says_step(EstimatorKind::kOnline, 2048));
  EXPECT_FALSE(says_step(EstimatorKind::kHindsight, 4096));
}

// So that there is as much to keep and to subtract as in the longest plan that has one row a
// period.
TEST(Estimand, StepsOfLeavingGrowAsTheSquareOfTheHorizon) {
  for (const auto& [periods, step] : std::vector<std::pair<Period, Period>>{
           {1, 1}, {2048, 1}, {2049, 2}, {2896, 2}, {2897, 4}, {4096, 4}}) {
    EXPECT_EQ(leaving_step(periods, false), step) << periods;
  }
  for (const auto& [periods, step] : std::vector<std::pair<Period, Period>>{
           {1024, 1}, {1025, 2}, {2048, 4}, {4096, 16}, {kMaxHeartbeatPeriods, 256}}) {
    EXPECT_EQ(leaving_step(periods, true), step) << periods;
  }
}

}  // namespace
}  // namespace futurerand
