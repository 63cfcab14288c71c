// Errors of `innovation` on simulated devices: unbiased at every period, errors as predicted and
// nearly alike, valid bands. The seeds are fixed.
#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/simulator/test/innovation_errors.hpp"

namespace futurerand {
namespace {

TEST(InnovationStatistics, ErrorsAreAsPredictedAndBandsHold) {
  constexpr Period kPeriods = 64;
  constexpr std::uint32_t kChanges = 4;
  const double predicted =
      predict_error(*make_plan(Protocol::kInnovation, kPeriods, kChanges, *Epsilon::parse("1")), 1)
          .rmse;
  for (const char* name : {"uniform", "adoption", "seasonal", "churn", "static"}) {
    const Population population =
        *Population::named(name, {1500, kPeriods, kChanges}, kStatisticsKey);
    const InnovationErrors errors = errors_of(population, kPeriods, kChanges, 400, Engine::kSums);
    // Over 400 trials of 64 correlated periods the mean is known to about two percent.
    EXPECT_NEAR(errors.rmse / (predicted * std::sqrt(1500)), 1, 0.05) << name;
    EXPECT_NEAR(errors.coverage, 0.95, 0.01) << name;
    EXPECT_LT(errors.worst_bias, 4.5) << name;
    // A period's own error is known to 3.5%.
    EXPECT_LT(errors.worst_period, 1.15) << name;
  }
}

// With an unknown start the same holds for changes after joining.
TEST(InnovationStatistics, UnknownStartsAreAsPredictedAndBandsHold) {
  constexpr Period kPeriods = 64;
  constexpr std::uint32_t kChanges = 3;
  const double predicted = predict_error(*make_plan(Protocol::kInnovation, kPeriods, kChanges,
                                                    *Epsilon::parse("1"), Initial::kUnknown),
                                         1)
                               .rmse;
  for (const char* name : {"uniform", "churn", "static"}) {
    const Population population =
        *Population::named(name, {1500, kPeriods, kChanges, Initial::kUnknown}, kStatisticsKey);
    const InnovationErrors errors =
        errors_of(population, kPeriods, kChanges, 400, Engine::kSums, "1", Initial::kUnknown);
    EXPECT_NEAR(errors.rmse / (predicted * std::sqrt(1500)), 1, 0.05) << name;
    EXPECT_NEAR(errors.coverage, 0.95, 0.01) << name;
    EXPECT_LT(errors.worst_bias, 4.5) << name;
  }
}

// A user makes as many changes as planned, one after the other, at the start, in the middle and at
// the end, so that the signs are used up as fast as they can be.
TEST(InnovationStatistics, ChangesInConsecutivePeriodsAreCounted) {
  std::vector<UserValues> panel;
  for (std::uint64_t user = 0; user < 600; ++user) {
    const Period first = user % 3 == 0 ? 1 : user % 3 == 1 ? 20 : 29;
    panel.push_back({std::to_string(user),
                     {{first, true}, {first + 1, false}, {first + 2, true}, {first + 3, false}}});
  }
  const Population population = *Population::from_panel(panel, {600, 32, 4}, kStatisticsKey);
  const InnovationErrors errors = errors_of(population, 32, 4, 600, Engine::kUsers);
  EXPECT_LT(errors.worst_bias, 4.5);
  EXPECT_NEAR(errors.coverage, 0.95, 0.01);
}

// Sparse plans, with both engines: unbiased, and the bands infer the noise from the zero symbols.
TEST(InnovationStatistics, SparseErrorsAreAsPredictedAndBandsHold) {
  constexpr Period kPeriods = 64;
  const Plan plan = *make_plan(Protocol::kInnovation, kPeriods, 1, *Epsilon::parse("4"));
  ASSERT_TRUE(may_be_zero(plan.views.front().law));
  const double predicted = predict_error(plan, 1).rmse;
  using Case = std::pair<const char*, Engine>;
  for (const auto& [name, engine] :
       {Case{"uniform", Engine::kUsers}, Case{"adoption", Engine::kSums},
        Case{"static", Engine::kSums}}) {
    const Population population = *Population::named(name, {1500, kPeriods, 1}, kStatisticsKey);
    const InnovationErrors errors = errors_of(population, kPeriods, 1, 300, engine, "4");
    // Reports of one device are slightly correlated. The prediction leaves this out.
    EXPECT_NEAR(errors.rmse / (predicted * std::sqrt(1500)), 1, 0.08) << name;
    EXPECT_NEAR(errors.coverage, 0.95, 0.015) << name;
    EXPECT_LT(errors.worst_bias, 4.5) << name;
  }
}

}  // namespace
}  // namespace futurerand
