#include "futurerand/documents/metric_status.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/metric_request.hpp"
#include "futurerand/wire/published_metric.hpp"

namespace futurerand {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1'000'000'000'123ms};
constexpr const char* kWall =
    R"({"periods":8,"max_changes":2,"epsilon":"1","start":"2001-02-03T04:05:06Z",)"
    R"("period_seconds":60,"grace_periods":3,"description":"Grüße \"1\"","test":true})";

TEST(MetricStatus, IsWhatADeviceReads) {
  const auto metric = define_metric("m", kWall, kNow);
  const PlanCertificate certificate = *certify(metric->plan);
  const std::string text = to_json(*metric, {5, 10, {1, 2, 3}, {{10, 20}}}, &certificate);
  const Result<PublishedMetric> read = parse_published_metric(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "m");
  EXPECT_EQ(read->plan, metric->plan);
  EXPECT_EQ(read->start, 981173106);
  EXPECT_EQ(read->period_seconds, 60);
  EXPECT_EQ(read->current_period, 5U);
  EXPECT_FALSE(read->manual_clock);
  // A later collector may say more.
  EXPECT_TRUE(parse_published_metric("{\"news\":1," + text.substr(1)));
  EXPECT_FALSE(parse_published_metric("{\"name\":\"m\"}"));
  EXPECT_FALSE(parse_published_metric("[]"));
}

TEST(MetricStatus, AManualClockHasNoStart) {
  const auto metric = define_metric(
      "m", R"({"periods":8,"max_changes":2,"epsilon":1,"clock":"manual","start":5})", kNow);
  const std::string text = to_json(*metric, {}, nullptr);
  EXPECT_NE(text.find("\"start\":null,\"period_seconds\":null"), std::string::npos);
  EXPECT_NE(text.find("\"certificate\":null"), std::string::npos);
  const Result<PublishedMetric> read = parse_published_metric(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->manual_clock);
  EXPECT_EQ(read->start, 0);
}

}  // namespace
}  // namespace futurerand
