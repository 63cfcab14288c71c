#include "futurerand/client/metric_terms.hpp"

#include <string>

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

TEST(MetricTerms, AreAcceptedOrRefusedAsACollectorSaysThem) {
  MetricDefinition metric =
      default_metric("m", *make_plan(Protocol::kOptimal, 8, 2, *Epsilon::parse("1")));
  const auto accepted = [&] { return bool(MetricTerms::accept(metric)); };
  EXPECT_TRUE(accepted());
  EXPECT_EQ(MetricTerms::accept(metric)->name, "m");
  metric.clock.start = 5;
  EXPECT_FALSE(accepted());  // a start without a length
  metric.clock.length = 1;
  EXPECT_TRUE(accepted());
  EXPECT_EQ(MetricTerms::accept(metric)->clock, metric.clock);
  metric.clock.start = 0;
  EXPECT_TRUE(accepted());
  metric.clock.start = -1;
  EXPECT_FALSE(accepted());
  metric.clock.start = 5;
  metric.clock.length = -1;
  EXPECT_FALSE(accepted());
  metric.clock.length = 60;
  metric.name = std::string(128, 'x');
  EXPECT_TRUE(accepted());
  metric.name += 'x';
  EXPECT_FALSE(accepted());
  metric.name.clear();
  EXPECT_FALSE(accepted());
  metric.name = "m";
  // A plan that its server bent: more than its epsilon.
  auto& law = std::get<ThresholdLaw>(metric.plan.views[0].law);
  law.low_side += std::uint64_t{1} << 50;
  for (View& view : metric.plan.views) view.law = law;
  EXPECT_FALSE(accepted());
}

TEST(MetricTerms, SayWhenADeviceMayJoin) {
  MetricTerms terms = test::terms_of();
  terms.clock = {1'796'083'200, 86'400};
  const Status early = terms.check_joining(0);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kNotStarted);
  EXPECT_EQ(early.error().message,
            "the metric '" + terms.name + "' starts on 2026-12-01 00:00 UTC; try again then");
  EXPECT_TRUE(terms.check_joining(1));
  EXPECT_TRUE(terms.check_joining(200));
  EXPECT_EQ(terms.check_joining(201).error().code, ErrorCode::kRefused);
  terms.clock = {};
  EXPECT_EQ(terms.check_joining(0).error().code, ErrorCode::kNotStarted);
}

TEST(MetricTerms, TheDigestPinsTheSeasons) {
  MetricTerms terms = test::terms_of();
  const Digest fixed = terms.digest();
  terms.seasons = *Calendar::create(200, 20, 200);
  const Digest endless = terms.digest();
  EXPECT_NE(endless, fixed);
  terms.seasons = *Calendar::create(200, 20, 180);
  EXPECT_NE(terms.digest(), endless);
  terms.seasons = *Calendar::create(200, 40, 200);
  EXPECT_NE(terms.digest(), endless);
  terms.seasons = *Calendar::create(200, 20, 200);
  EXPECT_EQ(terms.digest(), endless);
}

TEST(MetricTerms, TheClockStandsStillAfterTheHorizon) {
  const MetricTerms terms = test::terms_of();
  EXPECT_EQ(terms.period_at(1'700'000'000 + 3600 * 201), 201U);
  EXPECT_EQ(terms.period_at(1'700'000'000 + 3600 * 202), 201U);
}

}  // namespace
}  // namespace futurerand
