// Seasons over real devices and the real estimator: the error of the design, honest bands, and no
// seam. Seeds are fixed.
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/season_prediction.hpp"
#include "futurerand/simulator/test/season_trials.hpp"

namespace futurerand {
namespace {

using test::run_seasons;
using test::SeasonTrials;

TEST(SeasonStatistics, HaveTheErrorOfTheDesign) {
  SeasonTrials asked;
  asked.users = 600;
  asked.trials = 240;
  const test::SeasonErrors errors = run_seasons(asked);
  // 7.345 for 90 on and 90 off, one change, epsilon 1: the design asks for 2%.
  EXPECT_NEAR(errors.share_sd, 7.345, 0.01 * 7.345);
  EXPECT_NEAR(errors.share_sd, errors.predicted_sd, 0.01 * errors.predicted_sd);
  EXPECT_NEAR(errors.coverage, 0.95, 0.005);
  for (const double coverage : errors.coverage_by_place) EXPECT_NEAR(coverage, 0.95, 0.01);
  EXPECT_LT(errors.step_ratio, 1.15);
  EXPECT_LT(std::abs(errors.bias), 4 * errors.bias_error);
  EXPECT_EQ(errors.undetermined, 0);
}

TEST(SeasonStatistics, NumbersAndShortSeasonsToo) {
  SeasonTrials asked;
  asked.plan = *make_plan(Protocol::kInnovation, 24, 1, *Epsilon::parse("1"), Initial::kUnknown,
                          *Coding::create(NumberCoding{0, 1, ""}));
  asked.calendar = *Calendar::create(24, 4, 12);
  asked.population = "drift";
  asked.users = 200;
  asked.trials = 180;
  const test::SeasonErrors errors = run_seasons(asked);
  // Numbers vary less between people than yes and no: the sampling error is at most the predicted.
  const double predicted = season_share_sd(asked.plan, asked.calendar);
  EXPECT_NEAR(errors.share_sd, predicted, 0.01 * predicted);
  EXPECT_NEAR(errors.coverage, 0.95, 0.005);
  EXPECT_LT(std::abs(errors.bias), 4 * errors.bias_error);
}

SeasonTrials coded_seasons(Coding coding) {
  SeasonTrials asked;
  asked.plan = *make_plan(Protocol::kInnovation, 24, 1, *Epsilon::parse("1"), Initial::kUnknown,
                          std::move(coding));
  asked.calendar = *Calendar::create(24, 4, 12);
  asked.population = "drift";
  asked.users = 1200;
  asked.trials = 240;
  return asked;
}

void expect_as_predicted(const test::SeasonErrors& errors) {
  EXPECT_NEAR(errors.share_sd, errors.predicted_sd, 0.01 * errors.predicted_sd);
  EXPECT_NEAR(errors.coverage, 0.95, 0.005);
  EXPECT_LT(errors.step_ratio, 1.15);
  EXPECT_LT(std::abs(errors.bias), 4 * errors.bias_error);
  EXPECT_EQ(errors.undetermined, 0);
}

TEST(SeasonStatistics, LabelsToo) {
  CategoryCoding settings;
  for (const char* label : {"a", "b", "c", "d", "e"}) settings.labels.push_back(label);
  const SeasonTrials asked = coded_seasons(*Coding::create(settings));
  const test::SeasonErrors errors = run_seasons(asked);
  expect_as_predicted(errors);
  // The planner leaves out the sampling of rows.
  const double planned = season_share_sd(asked.plan, asked.calendar);
  EXPECT_NEAR(errors.predicted_sd, planned, 0.01 * planned);
}

TEST(SeasonStatistics, SharesBelowThresholdsToo) {
  expect_as_predicted(
      run_seasons(coded_seasons(*Coding::create(DistributionCoding{0, 1, "", 16}))));
}

// Devices are installed all the time and removed, three times as often while they hold 1.
TEST(SeasonStatistics, AreUnbiasedWhereDevicesComeAndGo) {
  SeasonTrials asked;
  asked.users = 1200;
  asked.trials = 40;
  asked.churn.joining = Joining::kStaggered;
  asked.churn.dropout = 0.001;
  asked.churn.dropout_factor = 3;
  asked.from = 360;
  const test::SeasonErrors errors = run_seasons(asked);
  // A quarter of the standard deviation of one estimate.
  EXPECT_LT(std::abs(errors.bias), 0.25 * errors.share_sd);
  EXPECT_LT(std::abs(errors.bias), 4 * errors.bias_error);
  EXPECT_NEAR(errors.coverage, 0.95, 0.02);
}

// One answer in each cycle.
TEST(SeasonStatistics, OneAnswerInEachCycle) {
  SeasonTrials asked;
  asked.plan = *make_plan(Protocol::kOnce, 1, 0, *Epsilon::parse("1"), Initial::kUnknown);
  asked.calendar = *Calendar::create(1, 1, 9);
  asked.users = 1500;  // 150 answers a period: normal bands miss somewhat more often with fewer
  asked.trials = 300;
  asked.changes = 2;
  const test::SeasonErrors errors = run_seasons(asked);
  const double predicted = season_share_sd(asked.plan, asked.calendar);
  EXPECT_NEAR(errors.share_sd, predicted, 0.01 * predicted);
  EXPECT_NEAR(errors.coverage, 0.95, 0.005);
}

}  // namespace
}  // namespace futurerand
