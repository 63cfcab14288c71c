#include "futurerand/simulator/error_statistics.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(ErrorStatistics, AgreesWithAHandComputedCase) {
  ErrorStatistics errors({10, 20}, 0.95);
  errors.add({{1, 13, 1}, {2, 20, 1}});  // errors 3 and 0
  errors.add({{1, 9, 1}, {2, 24, 3}});   // errors -1 and 4
  EXPECT_DOUBLE_EQ(errors.rmse(), std::sqrt((9 + 0 + 1 + 16) / 4.0));
  EXPECT_DOUBLE_EQ(errors.max_error(), (3 + 4) / 2.0);
  EXPECT_DOUBLE_EQ(errors.band_coverage(), 3 / 4.0);
  EXPECT_DOUBLE_EQ(errors.bias(0), 1);
  EXPECT_DOUBLE_EQ(errors.bias(1), 2);
  EXPECT_DOUBLE_EQ(errors.mean_variance(1), 5);
  EXPECT_DOUBLE_EQ(errors.undetermined(), 0);
}

TEST(ErrorStatistics, HasAnIntervalOverTrials) {
  ErrorStatistics errors({10, 20}, 0.95);
  errors.add({{1, 13, 1}, {2, 20, 1}});
  EXPECT_FALSE(rmse_interval(errors.squared_errors(), 0.95));
  errors.add({{1, 9, 1}, {2, 24, 3}});
  EXPECT_EQ(errors.squared_errors(), (std::vector<double>{4.5, 8.5}));
  // The mean is 6.5, its standard error 2; 1.96 of them reach below and above.
  const Band interval = rmse_interval(errors.squared_errors(), 0.95).value();
  EXPECT_NEAR(interval.lower, std::sqrt(6.5 - 1.959964 * 2), 1e-6);
  EXPECT_NEAR(interval.upper, std::sqrt(6.5 + 1.959964 * 2), 1e-6);
}

TEST(ErrorStatistics, LeavesOutWhatIsUndetermined) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  ErrorStatistics errors({10, 20}, 0.95);
  errors.add({{1, none, none}, {2, 22, 1}});
  EXPECT_DOUBLE_EQ(errors.rmse(), 2);
  EXPECT_DOUBLE_EQ(errors.band_coverage(), 0);
  EXPECT_DOUBLE_EQ(errors.undetermined(), 0.5);
}

}  // namespace
}  // namespace futurerand
