// So many trials that the error of each period is known to half a percent.
#include <gtest/gtest.h>

#include "futurerand/simulator/test/innovation_errors.hpp"

namespace futurerand {
namespace {

TEST(InnovationStatisticsLong, NoPeriodIsMuchWorseThanTheMean) {
  constexpr Period kPeriods = 256;
  constexpr std::uint32_t kChanges = 4;
  const Population population =
      *Population::named("uniform", {300, kPeriods, kChanges}, kStatisticsKey);
  const InnovationErrors errors = errors_of(population, kPeriods, kChanges, 20'000, Engine::kSums);
  RecordProperty("worst_period_over_mean", std::to_string(errors.worst_period));
  EXPECT_LT(errors.worst_period, 1.03);
  EXPECT_NEAR(errors.coverage, 0.95, 0.01);
  EXPECT_LT(errors.worst_bias, 4.5);
}

}  // namespace
}  // namespace futurerand
