// A metric is asked for, stored and published.
#include "futurerand/wire/metric.hpp"

#include <gtest/gtest.h>

#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/metric_request.hpp"
#include "futurerand/wire/stored_metric.hpp"

namespace futurerand {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1'000'000'000'123ms};
constexpr const char* kWall =
    R"({"periods":8,"max_changes":2,"epsilon":"1","start":"2001-02-03T04:05:06Z",)"
    R"("period_seconds":60,"grace_periods":3,"description":"Grüße \"1\"","test":true})";

std::string message_of(const std::string& body) {
  const Result<MetricDefinition> metric = define_metric("m", body, kNow);
  return metric ? "accepted" : metric.error().message;
}

TEST(MetricRequest, DefinesAMetric) {
  const Result<MetricDefinition> metric = define_metric("m", kWall, kNow);
  ASSERT_TRUE(metric) << metric.error().message;
  EXPECT_EQ(metric->plan, *make_plan(Protocol::kInnovation, 8, 2, *Epsilon::parse("1")));
  const auto longer = define_metric(
      "m", R"({"periods":256,"max_changes":4,"epsilon":"1","period_seconds":1})", kNow);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->plan, *make_plan(Protocol::kInnovation, 256, 4, *Epsilon::parse("1")));
  EXPECT_EQ(metric->start.time_since_epoch(), 981173106s);
  EXPECT_EQ(metric->period_length, 60s);
  EXPECT_EQ(metric->grace, 3U);
  EXPECT_TRUE(metric->test);
  EXPECT_FALSE(metric->manual_clock);
  EXPECT_EQ(metric->description, "Grüße \"1\"");
}

TEST(MetricRequest, StartsNowInWholeSeconds) {
  const auto metric =
      define_metric("m", R"({"periods":8,"max_changes":2,"epsilon":1,"period_seconds":1})", kNow);
  ASSERT_TRUE(metric);
  EXPECT_EQ(metric->start.time_since_epoch(), 1'000'000'000s);
  const auto fraction = define_metric(
      "m", R"({"periods":8,"max_changes":2,"epsilon":1,"period_seconds":1,"start":7.9})", kNow);
  EXPECT_EQ(fraction->start.time_since_epoch(), 7s);
}

TEST(MetricRequest, TheSameBodyInAnyOrderIsTheSameRequest) {
  const auto one =
      define_metric("m", R"({"periods":8,"max_changes":2,"epsilon":"1","clock":"manual"})", kNow);
  const auto other = define_metric(
      "m", "{ \"clock\" : \"manual\", \"max_changes\":2,\n\"epsilon\":\"1\",\"periods\":8}", {});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->request, other->request);
}

TEST(MetricRequest, WhatIsWrittenIsReadBack) {
  const MetricRequest request{.periods = 64,
                              .max_changes = 3,
                              .epsilon = *Epsilon::parse("0.5"),
                              .protocol = Protocol::kOptimal,
                              .start = std::chrono::sys_seconds(12345s),
                              .period_length = 3600s,
                              .grace = 2,
                              .test = true,
                              .description = "it"};
  const auto direct = define_metric("m", request, kNow);
  const auto read = define_metric("m", to_json(request), kNow);
  ASSERT_TRUE(direct && read);
  EXPECT_EQ(direct->request, read->request);
  EXPECT_EQ(direct->plan, read->plan);
  EXPECT_EQ(read->start, *request.start);
  EXPECT_EQ(read->period_length, request.period_length);
  EXPECT_EQ(read->grace, 2U);
  EXPECT_TRUE(read->test);
  EXPECT_EQ(read->description, "it");
  // Keys that only repeat a default stay out: metrics of earlier fleets are still theirs.
  const MetricRequest small{
      .periods = 8, .max_changes = 2, .epsilon = *Epsilon::parse("1"), .manual_clock = true};
  EXPECT_EQ(to_json(small), R"({"clock":"manual","epsilon":"1","max_changes":2,"periods":8})");
}

TEST(MetricRequest, SaysWhatIsWrong) {
  const std::string plan = R"("periods":8,"max_changes":2,"epsilon":"1")";
  EXPECT_NE(message_of("[1]").find("expected one whole JSON object"), std::string::npos);
  EXPECT_NE(message_of(R"({"periods":8,"max_changes":2})").find("'epsilon' is missing"),
            std::string::npos);
  EXPECT_NE(message_of("{" + plan + R"(,"clock":"manual","x":1})").find("unknown key 'x'"),
            std::string::npos);
  EXPECT_NE(message_of("{" + plan + R"(,"clock":"manual","clock":"wall"})").find("repeats"),
            std::string::npos);
  EXPECT_NE(message_of("{" + plan + R"(,"period_seconds":1,"start":"2001-02-31"})").find("1 to 28"),
            std::string::npos);
  EXPECT_NE(message_of("{" + plan + R"(,"clock":"sun","start":"2001-02-31"})").find("\"sun\""),
            std::string::npos);
  EXPECT_NE(message_of("{" + plan + "}").find("period_seconds"), std::string::npos);
  for (const char* name : {"", ".a", "a b", "ü"}) {
    EXPECT_FALSE(define_metric(name, kWall, kNow)) << name;
  }
}

TEST(StoredMetric, ComesBackWhole) {
  const auto metric = define_metric("m", kWall, kNow);
  const Result<MetricDefinition> back = parse_stored_metric(to_stored_text(*metric));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->name, metric->name);
  EXPECT_EQ(back->description, metric->description);
  EXPECT_EQ(back->plan, metric->plan);
  EXPECT_EQ(back->start, metric->start);
  EXPECT_EQ(back->period_length, metric->period_length);
  EXPECT_EQ(back->grace, metric->grace);
  EXPECT_EQ(back->test, metric->test);
  EXPECT_EQ(back->request, metric->request);
  EXPECT_EQ(to_stored_text(*back), to_stored_text(*metric));
}

TEST(MetricRequest, SaysWhomToCount) {
  const auto gone_after = [](const std::string& more) -> int {
    const Result<MetricDefinition> metric = define_metric(
        "m", R"({"periods":64,"max_changes":2,"epsilon":"1","clock":"manual")" + more + "}", kNow);
    return metric ? static_cast<int>(metric->gone_after) : -1;
  };
  EXPECT_EQ(gone_after(R"(,"protocol":"innovation")"), 3);
  EXPECT_EQ(gone_after(R"(,"protocol":"innovation","gone_after":7)"), 7);
  EXPECT_EQ(gone_after(R"(,"protocol":"innovation","gone_after":0)"), 0);
  EXPECT_EQ(gone_after(R"(,"protocol":"innovation","gone_after":1)"), -1);
  EXPECT_EQ(gone_after(R"(,"protocol":"innovation","gone_after":65)"), -1);
  // Devices that report rarely do not show whether they are still there.
  EXPECT_EQ(gone_after(R"(,"protocol":"hybrid")"), 0);
  EXPECT_EQ(gone_after(R"(,"protocol":"hybrid","gone_after":3)"), -1);
  EXPECT_EQ(gone_after(R"(,"protocol":"optimal","gone_after":0)"), 0);
  EXPECT_EQ(gone_after(R"(,"heartbeats":true)"), -1);  // there is no such key
}

// Hybrid is more accurate here, and cannot count active devices.
TEST(MetricRequest, GetsAProtocolThatShowsWhoIsActiveUnlessItCountsAll) {
  const auto defined = [](const std::string& more) {
    return *define_metric("m", R"({"max_changes":16,"epsilon":"1","clock":"manual")" + more + "}",
                          kNow);
  };
  const MetricDefinition metric = defined(R"(,"periods":64)");
  EXPECT_EQ(metric.plan.protocol, Protocol::kInnovation);
  EXPECT_EQ(metric.gone_after, 3U);
  EXPECT_EQ(defined(R"(,"periods":64,"gone_after":5)").plan.protocol, Protocol::kInnovation);
  EXPECT_EQ(defined(R"(,"periods":64,"gone_after":0)").plan.protocol, Protocol::kHybrid);
  // Innovation cannot serve so few periods: then all that ever enrolled are counted.
  EXPECT_EQ(defined(R"(,"periods":8)").plan.protocol, Protocol::kHybrid);
  EXPECT_EQ(defined(R"(,"periods":8)").gone_after, 0U);
}

TEST(StoredMetric, CountsAllThatEverEnrolledIfItDoesNotSay) {
  const std::string body =
      R"({"clock":"manual","epsilon":"1","max_changes":2,"periods":64,"protocol":"innovation"})";
  const MetricDefinition metric = *define_metric("m", body, kNow);
  ASSERT_EQ(metric.gone_after, 3U);
  const std::string text = to_stored_text(metric);
  EXPECT_EQ(parse_stored_metric(text)->gone_after, 3U);
  EXPECT_EQ(to_stored_text(*parse_stored_metric(text)), text);

  EXPECT_TRUE(parse_stored_metric(text)->transcript_cap);
  std::string uncapped = text;
  const std::string cap = R"(,"transcript_cap":true)";
  ASSERT_NE(uncapped.find(cap), std::string::npos);
  uncapped.erase(uncapped.find(cap), cap.size());
  EXPECT_FALSE(parse_stored_metric(uncapped)->transcript_cap);
  EXPECT_EQ(to_stored_text(*parse_stored_metric(uncapped)), uncapped);

  std::string earlier = uncapped;
  const std::string key = R"("gone_after":3,)";
  ASSERT_NE(earlier.find(key), std::string::npos);
  earlier.erase(earlier.find(key), key.size());
  const Result<MetricDefinition> read = parse_stored_metric(earlier);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->gone_after, 0U);
  EXPECT_EQ(to_stored_text(*read), earlier);
  // Who asks for it again with the same words finds it.
  EXPECT_EQ(read->request, metric.request);

  std::string never = text;
  never.replace(never.find(key), key.size(), R"("gone_after":1,)");
  EXPECT_FALSE(parse_stored_metric(never));
  never = text;  // a cap on what is not kept
  never.erase(never.find(key), key.size());
  EXPECT_FALSE(parse_stored_metric(never));
}

TEST(MetricRequest, TranscriptsAreCappedWhereTheyAreKept) {
  const auto capped = [](const std::string& more) {
    return define_metric(
        "m", R"({"clock":"manual","epsilon":"1","max_changes":2,"periods":64,)" + more + "}", kNow);
  };
  EXPECT_TRUE(capped(R"("protocol":"innovation")")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"innovation","transcript_cap":false)")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"innovation","gone_after":0)")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"optimal")")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"innovation","gone_after":0,"transcript_cap":true)"));
  EXPECT_FALSE(capped(R"("protocol":"optimal","transcript_cap":true)"));
  EXPECT_FALSE(capped(R"("protocol":"innovation","transcript_cap":0.1)"));
}

TEST(StoredMetric, RefusesWhatItDidNotWrite) {
  const std::string text = to_stored_text(*define_metric("m", kWall, kNow));
  EXPECT_FALSE(parse_stored_metric(""));
  EXPECT_FALSE(parse_stored_metric("{}"));
  EXPECT_FALSE(parse_stored_metric(text.substr(1)));
  for (const char* part : {"\"name\":\"m\"", "start_ms\":9", "threshold", "periods"}) {
    std::string broken = text;
    const std::size_t at = broken.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    broken[at + std::string(part).size() / 2] = '~';
    EXPECT_FALSE(parse_stored_metric(broken)) << part;
  }
}

TEST(MetricDefinition, CountsPeriods) {
  const auto metric = define_metric("m", kWall, kNow);  // eight minutes from the start
  const Instant start = metric->start;
  EXPECT_EQ(metric->period_at(start - 1ms, 1), 0U);
  EXPECT_EQ(metric->period_at(start, 1), 1U);
  EXPECT_EQ(metric->period_at(start + 60s - 1ms, 1), 1U);
  EXPECT_EQ(metric->period_at(start + 60s, 1), 2U);
  EXPECT_EQ(metric->period_at(start + 8 * 60s, 1), 9U);
  EXPECT_EQ(metric->closed_period(), 12U);
  EXPECT_EQ(metric->period_at(start + 1000h, 1), 12U);
  EXPECT_EQ(last_complete(*metric, 0), 0U);
  EXPECT_EQ(last_complete(*metric, 1), 0U);
  EXPECT_EQ(last_complete(*metric, 8), 7U);
  EXPECT_EQ(last_complete(*metric, 12), 8U);
}

}  // namespace
}  // namespace futurerand
