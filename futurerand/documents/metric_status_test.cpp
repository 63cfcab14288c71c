#include "futurerand/documents/metric_status.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1'000'000'000'123ms};
constexpr const char* kWall =
    R"({"periods":8,"max_changes":2,"epsilon":"1","start":"2001-02-03T04:05:06Z",)"
    R"("period_seconds":60,"grace_periods":3,"description":"Grüße \"1\"","test":true})";

MetricLifecycle lifecycle_of(const char* body) {
  return {std::make_shared<const MetricDefinition>(*define_metric("m", body, kNow))};
}

TEST(MetricDocument, IsWhatADeviceReads) {
  const MetricLifecycle metric = lifecycle_of(kWall);
  const PlanCertificate certificate = *certify(metric.definition->plan);
  const Instant now{std::chrono::seconds(metric.definition->clock.start + 4 * 60)};
  const std::string text =
      metric_document(metric, now, {10, {1, 2, 3}, {}, {{10, 20}}}, &certificate);
  const Result<PublishedMetric> read = parse_published_metric(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition, *metric.definition);
  EXPECT_EQ(read->current_period, 5U);
  // A later collector may say more.
  EXPECT_TRUE(parse_published_metric("{\"surprise\":1," + text.substr(1)));
  EXPECT_FALSE(parse_published_metric("{\"name\":\"m\"}"));
  EXPECT_FALSE(parse_published_metric("[]"));
}

TEST(MetricDocument, AManualClockHasNoStart) {
  const MetricLifecycle metric = lifecycle_of(
      R"({"periods":8,"max_changes":2,"epsilon":1,"clock":"manual","start":5,"period_seconds":9})");
  const std::string text = metric_document(metric, kNow, {}, nullptr);
  EXPECT_NE(text.find("\"start\":null,\"period_seconds\":null"), std::string::npos);
  EXPECT_NE(text.find("\"certificate\":null"), std::string::npos);
  const Result<PublishedMetric> read = parse_published_metric(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.clock, Clock{});
  EXPECT_EQ(read->current_period, 1U);
}

}  // namespace
}  // namespace futurerand
