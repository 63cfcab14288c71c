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

TEST(MetricRequest, ADateIsMidnightInTheTimeZone) {
  const auto defined = [](const std::string& start, const std::string& zone) {
    return define_metric(
        "m",
        R"({"periods":8,"max_changes":2,"epsilon":1,"period_seconds":1,"start":")" + start + "\"" +
            zone + "}",
        kNow, nullptr,
        [](const std::string& name,
           std::chrono::year_month_day day) -> Result<std::chrono::sys_seconds> {
          if (name != "Asia/Tokyo") return Error{"no zone"};
          return std::chrono::sys_seconds(std::chrono::sys_days(day) - 9h);
        });
  };
  EXPECT_EQ(defined("2026-12-01", "")->clock.start, 1'796'083'200);
  const auto tokyo = defined("2026-12-01", R"(,"time_zone":"Asia/Tokyo")");
  EXPECT_EQ(tokyo->clock.start, 1'796'083'200 - 9 * 3600);
  EXPECT_EQ(tokyo->time_zone, "Asia/Tokyo");
  EXPECT_EQ(parse_metric(to_json(*tokyo))->time_zone, "Asia/Tokyo");
  // An instant stays what it is.
  EXPECT_EQ(defined("2026-12-01T00:00:00Z", R"(,"time_zone":"Asia/Tokyo")")->clock.start,
            1'796'083'200);
  EXPECT_EQ(defined("2026-12-01", R"(,"time_zone":"Mars/Olympus")").error().message, "no zone");
  for (const char* wrong : {R"("")", R"("/etc/passwd")", R"("../x")", R"("localtime")", "7"}) {
    EXPECT_FALSE(defined("2026-12-01", std::string(",\"time_zone\":") + wrong)) << wrong;
  }
  EXPECT_FALSE(defined("2026-02-30", R"(,"time_zone":"Asia/Tokyo")"));
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
  metric.time_zone = "Europe/Paris";
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
  // Innovation needs more periods. The metric then counts all devices ever enrolled.
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
constexpr const char* kEndless =
    R"({"periods":90,"max_changes":1,"epsilon":"1","period_seconds":86400,)"
    R"("start":"2026-01-01T00:00:00Z","seasons":{"every":15,"rest":90}})";

std::string endless_with(const std::string& seasons, const std::string& more = "",
                         int periods = 12) {
  return R"({"max_changes":1,"epsilon":"1","period_seconds":86400,"periods":)" +
         std::to_string(periods) + R"(,"seasons":)" + seasons + more + "}";
}

TEST(Seasons, ComeBackFromTheRequestAndFromTheDefinition) {
  const Result<MetricDefinition> metric = define_metric("m", kEndless, kNow);
  ASSERT_TRUE(metric) << metric.error().message;
  EXPECT_EQ(metric->seasons, *Calendar::create(90, 15, 90));
  const Result<MetricDefinition> stored = parse_metric(to_json(*metric));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(*stored, *metric);
  EXPECT_EQ(*define_metric("m", to_request(*metric), kNow), *metric);
  const std::string published =
      to_json(*metric).substr(0, to_json(*metric).size() - 1) + R"(,"current_period":1000})";
  const Result<PublishedMetric> read = parse_published_metric(published);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.seasons, metric->seasons);
  EXPECT_EQ(read->current_period, 1000U);
  // A metric with one horizon does not name seasons.
  EXPECT_EQ(to_json(*define_metric("m", kWall, kNow)).find("seasons"), std::string::npos);
  // Without a rest, it is as long as the season.
  EXPECT_EQ(define_metric("m", endless_with(R"({"every":4})"), kNow)->seasons,
            *Calendar::create(12, 4, 12));
}

std::string grouped_with(const std::string& group) {
  return R"({"max_changes":1,"epsilon":"1","period_seconds":86400,"periods":12,"group":)" + group +
         "}";
}

TEST(Groups, ComeBackFromTheRequestAndFromTheDefinition) {
  const std::string body = grouped_with(R"({"name":"settings","shares":{"sync":1,"m":3}})");
  const Result<MetricDefinition> metric = define_metric("m", body, kNow);
  ASSERT_TRUE(metric) << metric.error().message;
  EXPECT_EQ(metric->group, *MetricGroup::create("settings", {{"m", 3}, {"sync", 1}}));
  EXPECT_EQ(metric->asked_share(), 0.75);
  EXPECT_EQ(*parse_metric(to_json(*metric)), *metric);
  EXPECT_EQ(*define_metric("m", to_request(*metric), kNow), *metric);
  EXPECT_NE(to_json(*metric).find(R"("group":{"name":"settings","shares":{"m":3,"sync":1}})"),
            std::string::npos);
  const std::string published =
      to_json(*metric).substr(0, to_json(*metric).size() - 1) + R"(,"current_period":1})";
  EXPECT_EQ(parse_published_metric(published)->definition.group, metric->group);
  const MetricDefinition alone = *define_metric("m", kWall, kNow);
  EXPECT_EQ(to_json(alone).find("group"), std::string::npos);
  EXPECT_EQ(alone.asked_share(), 1);
}

TEST(Groups, ASeasonHasTheShareOfItsMetric) {
  std::string body = kEndless;
  body.insert(body.size() - 1, R"(,"group":{"name":"g","shares":{"m":1,"n":3}})");
  const MetricDefinition season = season_metric(*define_metric("m", body, kNow), 5);
  EXPECT_EQ(season.asked_share(), 0.25);
  EXPECT_EQ(*parse_metric(to_json(season)), season);
}

TEST(Groups, SayWhatIsWrong) {
  const auto says = [](const std::string& group, const std::string& part) {
    const std::string body = grouped_with(group);
    EXPECT_NE(message_of(body).find(part), std::string::npos) << body << ": " << message_of(body);
  };
  says("7", "group is no JSON object");
  says("{}", "group: the key 'name' is missing");
  says(R"({"name":"g"})", "group: the key 'shares' is missing");
  says(R"({"name":"g","shares":{}})", "the group 'g' has 0 metrics; expected 2 to 64");
  says(R"({"name":"g","shares":{"m":1}})", "the group 'g' has 1 metrics; expected 2 to 64");
  says(R"({"name":"g","shares":{"m":1,"n":0}})", "n is 0; expected 1 to 1000000");
  says(R"({"name":"g","shares":{"m":1,"n":1.5}})", "n is no whole number");
  says(R"({"name":"g","shares":{"m":1,"a b":1}})", "no metric is called 'a b'");
  says(R"({"name":"a b","shares":{"m":1,"n":1}})", "name is 'a b'; expected 1 to 64");
  says(R"({"name":"g","shares":{"a":1,"n":1}})", "the group 'g' does not have the metric 'm'");
  says(R"({"name":"g","shares":{"m":1,"n":1},"x":1})", "unknown key 'x'");
  std::string many = R"({"name":"g","shares":{"m":1)";
  for (int i = 0; i < 64; ++i) many += ",\"m" + std::to_string(i) + "\":1";
  says(many + "}}", "shares has 65 metrics; expected at most 64");
}

TEST(Seasons, SayWhatIsWrong) {
  const auto says = [](const std::string& body, const std::string& part) {
    EXPECT_NE(message_of(body).find(part), std::string::npos) << body << ": " << message_of(body);
  };
  says(endless_with("7"), "seasons is no JSON object");
  says(endless_with("{}"), "every");
  says(endless_with(R"({"every":0,"rest":12})"), "every is 0");
  says(endless_with(R"({"every":5,"rest":15})"), "expected a divisor of the season, 12");
  says(endless_with(R"({"every":4,"rest":13})"), "and of the rest, 13");
  says(endless_with(R"({"every":4,"rest":-4})"), "rest is no whole number");
  says(endless_with(R"({"every":1,"rest":12})", "", 33), "33 seasons would be live at a time");
  says(endless_with(R"({"every":4,"rest":12,"phase":1})"), "unknown key 'phase'");
  says(endless_with(R"({"every":4})", R"(,"clock":"manual")"), "expected a wall clock");
  says(endless_with(R"({"every":4})", R"(,"start":691200)"), "at least 8 periods");
  EXPECT_EQ(message_of(endless_with(R"({"every":4})", R"(,"start":691201)")), "accepted");
}

TEST(Seasons, AreMetricsOfOneHorizon) {
  const MetricDefinition metric = *define_metric("m", kEndless, kNow);
  // Season 6 begins with the metric; season 1 began 75 days before.
  const MetricDefinition sixth = season_metric(metric, 6);
  EXPECT_EQ(sixth.name, "m#6");
  EXPECT_FALSE(is_metric_name(sixth.name));
  EXPECT_EQ(sixth.clock, metric.clock);
  EXPECT_EQ(sixth.plan, metric.plan);
  EXPECT_FALSE(sixth.seasons);
  EXPECT_EQ(sixth.closed_period(), 92U);
  EXPECT_EQ(*parse_metric(to_json(sixth)), sixth);
  EXPECT_EQ(season_named("m#6")->metric, "m");
  EXPECT_EQ(season_named("m#6")->season, 6);
  for (const char* name : {"m", "m#", "#6", "m#0", "m#06", "m#-1", "m#6#7", ".m#6", "m#6 "}) {
    EXPECT_FALSE(season_named(name)) << name;
  }
  EXPECT_EQ(season_metric(metric, 1).clock.start, metric.clock.start - 75 * 86400);
  EXPECT_EQ(season_metric(metric, 7).clock.start, metric.clock.start + 15 * 86400);
}

TEST(Seasons, TheClockNeverEnds) {
  const auto definition =
      std::make_shared<const MetricDefinition>(*define_metric("m", kEndless, kNow));
  MetricLifecycle metric{definition};
  const auto day = [&](std::int64_t days) {
    return Instant(std::chrono::seconds(definition->clock.start + days * 86400));
  };
  EXPECT_EQ(metric.state(day(-1)), "waiting");
  EXPECT_EQ(metric.current_period(day(0)), 1U);
  EXPECT_EQ(metric.current_period(day(36'500)), 36'501U);
  EXPECT_EQ(metric.state(day(36'500)), "open");
  EXPECT_FALSE(metric.is_closed(day(36'500)));
  EXPECT_EQ(last_complete(*definition, 36'501), 36'500U);
  EXPECT_TRUE(check_start(*definition, day(36'500)));
  metric.ended = 400;
  EXPECT_EQ(metric.state(day(36'500)), "closed");
  EXPECT_TRUE(metric.ended_early());
}

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
