// Errors over 256 periods, with enough trials for a precision of one percent or better. Seeds are
// fixed.
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/simulator/test/innovation_errors.hpp"

namespace futurerand {
namespace {

TEST(InnovationStatisticsLong, ErrorsAreWithinTwoPercentAndBandsHold) {
  constexpr Period kPeriods = 256;
  constexpr std::uint32_t kChanges = 3;
  constexpr std::uint64_t kUsers = 1000;
  for (const Initial initial : {Initial::kUnknown, Initial::kZero}) {
    const Plan plan =
        *make_plan(Protocol::kInnovation, kPeriods, kChanges, *Epsilon::parse("1"), initial);
    const double predicted = predict_error(plan, kUsers).rmse;
    for (const char* name : {"uniform", "churn", "static"}) {
      const Population population =
          *Population::named(name, {kUsers, kPeriods, kChanges, initial}, kStatisticsKey);
      const InnovationErrors errors =
          errors_of(population, kPeriods, kChanges, 1000, Engine::kSums, "1", initial);
      EXPECT_NEAR(errors.rmse / predicted, 1, 0.02) << name;
      EXPECT_NEAR(errors.coverage, 0.95, 0.01) << name;
      EXPECT_LT(errors.worst_bias, 4.5) << name;
    }
  }
}

// The number of trials gives the error of each period to half a percent.
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
