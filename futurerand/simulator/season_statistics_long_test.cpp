// The figures of the design with small standard errors. Seeds are fixed.
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/simulator/test/season_trials.hpp"

namespace futurerand {
namespace {

TEST(SeasonStatisticsLong, HaveTheErrorOfTheDesign) {
  test::SeasonTrials asked;
  asked.trials = 400;
  const test::SeasonErrors errors = test::run_seasons(asked);
  EXPECT_NEAR(errors.share_sd, 7.345, 0.01 * 7.345);
  EXPECT_NEAR(errors.coverage, 0.95, 0.004);
  EXPECT_LT(errors.step_ratio, 1.15);
  EXPECT_LT(std::abs(errors.bias), 4 * errors.bias_error);
}

TEST(SeasonStatisticsLong, AreUnbiasedWhereDevicesComeAndGo) {
  test::SeasonTrials asked;
  asked.trials = 200;
  asked.users = 2000;
  asked.churn.joining = Joining::kStaggered;
  asked.churn.dropout = 0.001;
  asked.churn.dropout_factor = 3;
  asked.from = 360;
  const test::SeasonErrors errors = test::run_seasons(asked);
  EXPECT_LT(std::abs(errors.bias), 0.25 * errors.share_sd);
  EXPECT_LT(std::abs(errors.bias), 4 * errors.bias_error);
  EXPECT_NEAR(errors.coverage, 0.95, 0.01);
}

}  // namespace
}  // namespace futurerand
