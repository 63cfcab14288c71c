#include "futurerand/study/pooled_result.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

SimulationResult result_of(std::vector<double> squared_errors, double coverage, double bias) {
  SimulationResult result{};
  result.trials = squared_errors.size();
  double sum = 0;
  for (const double square : squared_errors) sum += square;
  result.rmse = std::sqrt(sum / static_cast<double>(squared_errors.size()));
  result.max_error = 10 * result.rmse;
  result.band_coverage = coverage;
  result.predicted_rmse = 3;
  result.squared_errors = std::move(squared_errors);
  // A standard error of 2 for one trial.
  const double error = 2 / std::sqrt(static_cast<double>(result.trials));
  result.periods = {{1, 7, 7, 1, {6, 8}, bias, bias / error}};
  return result;
}

TEST(PooledResult, IsThatOfAllTrialsTogether) {
  const SimulationResult one = result_of({1, 4}, 1, 0.5), two = result_of({9, 9, 2}, 0.5, -1);
  const SimulationResult all = pooled({one, two});
  EXPECT_EQ(all.trials, 5U);
  EXPECT_DOUBLE_EQ(all.rmse, std::sqrt(25.0 / 5));
  EXPECT_DOUBLE_EQ(all.max_error, (2 * one.max_error + 3 * two.max_error) / 5);
  EXPECT_DOUBLE_EQ(all.band_coverage, (2 + 1.5) / 5);
  EXPECT_DOUBLE_EQ(*all.predicted_rmse, 3);
  EXPECT_EQ(all.squared_errors, (std::vector<double>{1, 4, 9, 9, 2}));
  EXPECT_DOUBLE_EQ(all.periods[0].bias, (1 - 3) / 5.0);
  EXPECT_DOUBLE_EQ(all.periods[0].bias_z, all.periods[0].bias / (2 / std::sqrt(5.0)));
}

TEST(PooledResult, OfOneResultIsThatResult) {
  const SimulationResult one = result_of({1, 4}, 1, 0.5);
  EXPECT_DOUBLE_EQ(pooled({one}).rmse, one.rmse);
  EXPECT_DOUBLE_EQ(pooled({one}).periods[0].bias_z, one.periods[0].bias_z);
}

TEST(PooledResult, HasNoAnswerWhereNoneHas) {
  SimulationResult none = result_of({1}, 1, 0);
  none.rmse = none.max_error = none.band_coverage = NAN;
  none.undetermined = 1;
  EXPECT_TRUE(std::isnan(pooled({none, none}).rmse));
  // Those with answers count.
  const SimulationResult mixed = pooled({none, result_of({4}, 1, 0)});
  EXPECT_DOUBLE_EQ(mixed.rmse, 2);
  EXPECT_DOUBLE_EQ(mixed.undetermined, 0.5);
}

}  // namespace
}  // namespace futurerand
