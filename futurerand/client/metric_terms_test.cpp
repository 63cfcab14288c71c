#include "futurerand/client/metric_terms.hpp"

#include <gtest/gtest.h>

#include "futurerand/client/test/terms.hpp"

namespace futurerand {
namespace {

TEST(MetricTerms, PeriodsFollowTheClock) {
  const MetricTerms terms = test::terms_of();
  EXPECT_EQ(terms.period_at(0), 0U);
  EXPECT_EQ(terms.period_at(1'699'999'999), 0U);
  EXPECT_EQ(terms.period_at(1'700'000'000), 1U);
  EXPECT_EQ(terms.period_at(1'700'003'599), 1U);
  EXPECT_EQ(terms.period_at(1'700'003'600), 2U);
  EXPECT_EQ(terms.period_at(1'700'000'000 + 3600 * 200 - 1), 200U);
  EXPECT_EQ(terms.period_at(1'700'000'000 + 3600 * 200), 201U);
  EXPECT_EQ(terms.period_at(INT64_MAX), 201U);
}

}  // namespace
}  // namespace futurerand
