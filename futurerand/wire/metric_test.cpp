// A metric is asked for, stored and published.
#include "futurerand/wire/metric.hpp"

#include <gtest/gtest.h>

#include "futurerand/wire/metric_request.hpp"

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

TEST(MetricRequest, ReadsTheStartAndTheKindOfValue) {
  const auto defined = [](const std::string& more) {
    return define_metric(
        "m", R"({"periods":16,"max_changes":1,"epsilon":"1","clock":"manual")" + more + "}", kNow);
  };
  const auto says = [&](const std::string& more, const std::string& part) {
    const auto refused = defined(more);
    ASSERT_FALSE(refused) << more;
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  };
  EXPECT_EQ(defined("")->plan.initial, Initial::kUnknown);
  EXPECT_EQ(defined(R"(,"initial":"zero")")->plan.initial, Initial::kZero);
  const std::string number = R"(,"value":{"kind":"number","low":0,"high":100,"unit":"ms"})";
  const Result<MetricDefinition> metric = defined(number);
  ASSERT_TRUE(metric) << metric.error().message;
  EXPECT_EQ(metric->plan.coding, *Coding::create(NumberCoding{0, 100, "ms"}));
  // A definition comes back from its one form.
  EXPECT_EQ(parse_metric(to_json(*metric))->plan, metric->plan);
  says(R"(,"initial":"half")", "initial 'half' is unknown; expected zero or unknown");
  says(R"(,"value":{"kind":"number","low":100,"high":100})", "expected");
  says(R"(,"value":{"kind":"number","low":0})", "the key 'high' is missing");
  says(R"(,"value":{"kind":"number","low":0,"high":"9"})", "high is no number");
  says(R"(,"value":{"kind":"number","low":0,"high":9,"labels":[]})", "unknown key 'labels'");
  says(R"(,"value":{"kind":"colour"})", "kind 'colour' is unknown");
  says(R"(,"value":7)", "kind is missing");
  const std::string labels = R"(,"value":{"kind":"category","labels":["a","b"]})";
  EXPECT_TRUE(defined(labels));
  says(labels + R"(,"inactive_after":0)", "counted for active devices");
  says(labels + R"(,"initial":"zero")", "expected");
  says(number + R"(,"protocol":"hybrid")", "expected protocol innovation");
}

TEST(MetricRequest, DefinesAMetric) {
  const Result<MetricDefinition> metric = define_metric("m", kWall, kNow);
  ASSERT_TRUE(metric) << metric.error().message;
  EXPECT_EQ(metric->plan,
            *make_plan(Protocol::kInnovation, 8, 2, *Epsilon::parse("1"), Initial::kUnknown));
  const auto longer = define_metric(
      "m", R"({"periods":256,"max_changes":4,"epsilon":"1","period_seconds":1})", kNow);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->plan,
            *make_plan(Protocol::kInnovation, 256, 4, *Epsilon::parse("1"), Initial::kUnknown));
  EXPECT_EQ(metric->clock, (Clock{981173106, 60}));
  EXPECT_EQ(metric->grace, 3U);
  EXPECT_TRUE(metric->test);
  EXPECT_FALSE(metric->clock.is_manual());
  EXPECT_EQ(metric->description, "Grüße \"1\"");
}

TEST(MetricRequest, StartsNowInWholeSeconds) {
  const auto metric =
      define_metric("m", R"({"periods":8,"max_changes":2,"epsilon":1,"period_seconds":1})", kNow);
  ASSERT_TRUE(metric);
  EXPECT_EQ(metric->clock.start, 1'000'000'000);
  const auto fraction = define_metric(
      "m", R"({"periods":8,"max_changes":2,"epsilon":1,"period_seconds":1,"start":7.9})", kNow);
  EXPECT_EQ(fraction->clock.start, 7);
}

TEST(MetricRequest, TheSameBodyInAnyOrderIsTheSameRequest) {
  const auto one =
      define_metric("m", R"({"periods":8,"max_changes":2,"epsilon":"1","clock":"manual"})", kNow);
  const auto other = define_metric(
      "m", "{ \"clock\" : \"manual\", \"max_changes\":2,\n\"epsilon\":1,\"periods\":8}", {});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(*one, *other);
  EXPECT_EQ(to_request(*one), to_request(*other));
}

TEST(MetricRequest, WhatIsWrittenIsReadBack) {
  MetricDefinition metric =
      default_metric("m", *make_plan(Protocol::kInnovation, 64, 3, *Epsilon::parse("0.5")));
  EXPECT_EQ(*define_metric("m", to_request(metric), kNow), metric);
  metric.description = "it";
  metric.clock = {12345, 3600};
  metric.grace = 2;
  metric.test = true;
  metric.max_devices = 7;
  metric.inactive_after = 9;
  metric.transcript_cap = false;
  EXPECT_EQ(*define_metric("m", to_request(metric), kNow), metric);
  metric.inactive_after = 0;
  EXPECT_EQ(*define_metric("m", to_request(metric), kNow), metric);
}

// Each key makes another request; what an existing metric has is the default.
TEST(MetricRequest, TellsMetricsApart) {
  const MetricDefinition metric = *define_metric("m", kWall, kNow);
  const std::string body(kWall);
  const auto again = [&](const std::string& from, const std::string& to) {
    std::string changed = body;
    EXPECT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), from.size(), to);
    const auto asked = define_metric("m", changed, kNow, &metric);
    return asked && to_request(*asked) == to_request(metric);
  };
  EXPECT_TRUE(again("", ""));
  EXPECT_TRUE(again(R"("start":"2001-02-03T04:05:06Z",)", ""));
  EXPECT_TRUE(again(R"("periods")", R"("protocol":"innovation","periods")"));
  EXPECT_FALSE(again(R"("periods")", R"("protocol":"optimal","periods")"));
  EXPECT_FALSE(again("04:05:06", "04:05:07"));
  EXPECT_FALSE(again(":60", ":61"));
  EXPECT_FALSE(again(":3", ":4"));
  EXPECT_FALSE(again(":true", ":false"));
  EXPECT_FALSE(again("1\\\"", "2\\\""));
  EXPECT_FALSE(again(R"("periods":8)", R"("periods":9)"));
  EXPECT_FALSE(again(R"("max_changes":2)", R"("max_changes":3)"));
  EXPECT_FALSE(again(R"("epsilon":"1")", R"("epsilon":"2")"));
  EXPECT_FALSE(again(R"("periods")", R"("max_devices":5,"periods")"));
  EXPECT_FALSE(again(R"("start":"2001-02-03T04:05:06Z",)", R"("clock":"manual",)"));
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
  for (const char* start : {R"("7355-02-03T06:05:06Z")", R"("1970-01-01")", "1e11", "0", "-1"}) {
    const std::string body = "{" + plan + R"(,"period_seconds":1,"start":)" + start + "}";
    EXPECT_NE(message_of(body).find("between 1970 and 5000"), std::string::npos) << start;
  }
  EXPECT_NE(message_of("{" + plan + R"(,"clock":"sun","start":"2001-02-31"})").find("\"sun\""),
            std::string::npos);
  EXPECT_NE(message_of("{" + plan + "}").find("period_seconds"), std::string::npos);
  for (const char* name : {"", ".a", "a b", "ü"}) {
    EXPECT_FALSE(define_metric(name, kWall, kNow)) << name;
  }
}

TEST(MetricJson, ComesBackWhole) {
  for (const char* body :
       {kWall,
        R"({"periods":64,"max_changes":2,"epsilon":"1","clock":"manual","max_devices":5})"}) {
    const auto metric = define_metric("m", body, kNow);
    ASSERT_TRUE(metric) << metric.error().message;
    const Result<MetricDefinition> back = parse_metric(to_json(*metric));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, *metric);
    EXPECT_EQ(to_json(*back), to_json(*metric));
  }
}

// A plan that no request makes today is kept as it is.
TEST(MetricJson, KeepsThePlan) {
  MetricDefinition metric =
      default_metric("m", *make_plan(Protocol::kOptimal, 8, 2, *Epsilon::parse("1")));
  const auto law = std::get<ThresholdLaw>(metric.plan.views[0].law);
  ThresholdLaw other = law;
  other.low_side -= 1;
  for (View& view : metric.plan.views) view.law = other;
  const Result<MetricDefinition> back = parse_metric(to_json(metric));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->plan, metric.plan);
  EXPECT_NE(back->plan, *make_plan(Protocol::kOptimal, 8, 2, *Epsilon::parse("1")));
}

TEST(MetricRequest, SaysWhomToCount) {
  const auto inactive_after = [](const std::string& more) -> int {
    const Result<MetricDefinition> metric = define_metric(
        "m", R"({"periods":64,"max_changes":2,"epsilon":"1","clock":"manual")" + more + "}", kNow);
    return metric ? static_cast<int>(metric->inactive_after) : -1;
  };
  EXPECT_EQ(inactive_after(R"(,"protocol":"innovation")"), 3);
  EXPECT_EQ(inactive_after(R"(,"protocol":"innovation","inactive_after":7)"), 7);
  EXPECT_EQ(inactive_after(R"(,"protocol":"innovation","inactive_after":0)"), 0);
  EXPECT_EQ(inactive_after(R"(,"protocol":"innovation","inactive_after":1)"), -1);
  EXPECT_EQ(inactive_after(R"(,"protocol":"innovation","inactive_after":65)"), -1);
  // Devices that report rarely do not show whether they are still there.
  EXPECT_EQ(inactive_after(R"(,"protocol":"hybrid")"), 0);
  EXPECT_EQ(inactive_after(R"(,"protocol":"hybrid","inactive_after":3)"), -1);
  EXPECT_EQ(inactive_after(R"(,"protocol":"optimal","inactive_after":0)"), 0);
  EXPECT_EQ(inactive_after(R"(,"heartbeats":true)"), -1);  // there is no such key
}

// Hybrid is more accurate here, and cannot count active devices.
TEST(MetricRequest, GetsAProtocolThatShowsWhoIsActiveUnlessItCountsAll) {
  const auto defined = [](const std::string& more) {
    return *define_metric("m", R"({"max_changes":16,"epsilon":"1","clock":"manual")" + more + "}",
                          kNow);
  };
  const MetricDefinition metric = defined(R"(,"periods":64)");
  EXPECT_EQ(metric.plan.protocol, Protocol::kInnovation);
  EXPECT_EQ(metric.inactive_after, 3U);
  EXPECT_EQ(defined(R"(,"periods":64,"inactive_after":5)").plan.protocol, Protocol::kInnovation);
  EXPECT_EQ(defined(R"(,"periods":64,"inactive_after":0)").plan.protocol, Protocol::kHybrid);
  // Innovation cannot serve so few periods: then all that ever enrolled are counted.
  EXPECT_EQ(defined(R"(,"periods":8)").plan.protocol, Protocol::kHybrid);
  EXPECT_EQ(defined(R"(,"periods":8)").inactive_after, 0U);
}

TEST(MetricRequest, TranscriptsAreCappedWhereTheyAreKept) {
  const auto capped = [](const std::string& more) {
    return define_metric(
        "m", R"({"clock":"manual","epsilon":"1","max_changes":2,"periods":64,)" + more + "}", kNow);
  };
  EXPECT_TRUE(capped(R"("protocol":"innovation")")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"innovation","transcript_cap":false)")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"innovation","inactive_after":0)")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"optimal")")->transcript_cap);
  EXPECT_FALSE(capped(R"("protocol":"innovation","inactive_after":0,"transcript_cap":true)"));
  EXPECT_FALSE(capped(R"("protocol":"optimal","transcript_cap":true)"));
  EXPECT_FALSE(capped(R"("protocol":"innovation","transcript_cap":0.1)"));
}

TEST(MetricJson, RejectsWhatItDidNotWrite) {
  const std::string text = to_json(
      *define_metric("m",
                     R"({"periods":64,"max_changes":2,"epsilon":"1","protocol":"innovation",)"
                     R"("period_seconds":60})",
                     kNow));
  const auto error_after = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    EXPECT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), from.size(), to);
    const Result<MetricDefinition> read = parse_metric(changed);
    return read ? "none" : read.error().message;
  };
  EXPECT_EQ(error_after("", ""), "none");
  EXPECT_FALSE(parse_metric(""));
  EXPECT_FALSE(parse_metric("{}"));
  EXPECT_FALSE(parse_metric(text.substr(1)));
  for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("name":"m")", R"("name":".m")"},
           {R"("name":"m",)", ""},
           {R"("clock":"wall",)", ""},
           {R"("clock":"wall")", R"("clock":"sun")"},
           {R"("start":1000000000,)", ""},
           {R"("start":1000000000)", R"("start":null)"},
           {R"("period_seconds":60)", R"("period_seconds":0)"},
           {R"("inactive_after":3)", R"("inactive_after":1)"},
           {R"("inactive_after":3)", R"("inactive_after":0)"},  // a cap on what is not kept
           {R"("test":false)", R"("test":0)"},
           {R"("test":false)", R"("test":false,"surprise":1)"},
           {"threshold", "Threshold"}}) {
    EXPECT_NE(error_after(from, to), "none") << from << " " << to;
  }
}

Instant start_of(const MetricLifecycle& metric) {
  return std::chrono::sys_seconds(std::chrono::seconds(metric.definition->clock.start));
}

MetricLifecycle lifecycle_of(const char* body) {
  return {std::make_shared<const MetricDefinition>(*define_metric("m", body, kNow))};
}

TEST(MetricLifecycle, FollowsItsClock) {
  MetricLifecycle metric = lifecycle_of(kWall);  // eight minutes from the start
  const Instant start = start_of(metric);
  EXPECT_EQ(metric.current_period(start - 1ms), 0U);
  EXPECT_EQ(metric.state(start - 1ms), "waiting");
  EXPECT_EQ(metric.current_period(start), 1U);
  EXPECT_EQ(metric.current_period(start + 60s - 1ms), 1U);
  EXPECT_EQ(metric.current_period(start + 60s), 2U);
  EXPECT_EQ(metric.state(start + 8 * 60s - 1ms), "open");
  EXPECT_EQ(metric.current_period(start + 8 * 60s), 9U);
  EXPECT_EQ(metric.state(start + 8 * 60s), "grace");
  EXPECT_EQ(metric.definition->closed_period(), 12U);
  EXPECT_FALSE(metric.is_closed(start + 11 * 60s - 1ms));
  EXPECT_TRUE(metric.is_closed(start + 11 * 60s));
  EXPECT_EQ(metric.state(start + 11 * 60s), "closed");
  EXPECT_EQ(metric.current_period(start + 1000h), 12U);
  EXPECT_EQ(last_complete(*metric.definition, 0), 0U);
  EXPECT_EQ(last_complete(*metric.definition, 1), 0U);
  EXPECT_EQ(last_complete(*metric.definition, 8), 7U);
  EXPECT_EQ(last_complete(*metric.definition, 12), 8U);
}

// Once ended a metric stays closed in that period, even if its clock goes back.
TEST(MetricLifecycle, EndsOnce) {
  MetricLifecycle metric = lifecycle_of(kWall);
  const Instant start = start_of(metric);
  metric.ended = 3;
  for (const Instant now : {start - 1h, start + 30s, start + 1000h}) {
    EXPECT_EQ(metric.current_period(now), 3U);
    EXPECT_TRUE(metric.is_closed(now));
    EXPECT_EQ(metric.state(now), "closed");
  }
  EXPECT_TRUE(metric.ended_early());
  metric.ended = metric.definition->closed_period();
  EXPECT_TRUE(metric.is_closed(start - 1h));
  EXPECT_FALSE(metric.ended_early());
}

TEST(MetricLifecycle, AManualClockMovesByHand) {
  MetricLifecycle metric =
      lifecycle_of(R"({"periods":8,"max_changes":2,"epsilon":1,"clock":"manual"})");
  EXPECT_EQ(metric.current_period(kNow), 1U);
  metric.manual_period = 10;
  EXPECT_TRUE(metric.is_closed(kNow));
  metric.manual_period = 11;
  EXPECT_EQ(metric.current_period(kNow), 10U);
}

}  // namespace
}  // namespace futurerand
