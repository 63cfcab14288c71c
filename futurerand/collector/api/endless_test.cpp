// A metric without an end through the API: its seasons come, count, close and become final by the
// clock, whatever is killed meanwhile.
#include <gtest/gtest.h>

#include "futurerand/collector/api/test/endless_fleet.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/documents/exported_metric.hpp"

namespace futurerand {
namespace {

using test::EndlessFleet;
using test::Json;
using test::KilledCollector;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kStart = 1'800'000'000;

Instant day(std::int64_t number) {  // day 1 is period 1
  return Instant(std::chrono::seconds(kStart + (number - 1) * kDay + 60));
}

std::string body_of(std::int64_t season, std::int64_t every, std::int64_t rest,
                    const std::string& more = "") {
  return R"({"periods":)" + std::to_string(season) +
         R"(,"max_changes":1,"epsilon":"1","period_seconds":86400,"start":1800000000,"seasons":)" +
         R"({"every":)" + std::to_string(every) + R"(,"rest":)" + std::to_string(rest) + "}" +
         more + "}";
}

std::string error_code_of(const ApiResponse& response) {
  return Json::parse(response.body).at("error").at("code");
}

ClientId id_of(int client) {
  ClientId id;
  id.bytes[0] = static_cast<std::uint8_t>(client);
  return id;
}

std::string enrolment(int client, Period period) {
  return to_line(Enrolment{id_of(client), 0, period, 0}) + '\n';
}

std::string signs(int client, Period first, std::string_view text) {
  return to_line(Report{id_of(client), first, packed_signs(text)}) + '\n';
}

class EndlessTest : public testing::Test {
 protected:
  void create(const std::string& body) {
    const ApiResponse made = collector_.send("PUT", "/v1/metrics/m", body);
    ASSERT_EQ(made.status, 201) << made.body;
  }
  ApiResponse report(std::int64_t season, const std::string& body) {
    return collector_.call(
        {.method = "POST",
         .target = "/v1/metrics/m/seasons/" + std::to_string(season) + "/reports",
         .body = body});
  }

  void expect_closed(std::int64_t season) {
    const Json answer = Json::parse(report(season, enrolment(3, 1)).body);
    ASSERT_EQ(answer.at("rejected"), 1) << season;
    EXPECT_EQ(answer.at("errors")[0].at("reason"), "closed") << season;
  }

  KilledCollector collector_{day(1)};
};

TEST_F(EndlessTest, SaysWhatItIsAndWhatItPromises) {
  create(body_of(90, 15, 90));
  collector_.now_ = day(241);
  const Json document = collector_.read("/v1/metrics/m");
  EXPECT_EQ(document.at("seasons"), Json::parse(R"({"every":15,"rest":90})"));
  EXPECT_EQ(document.at("state"), "open");
  EXPECT_EQ(document.at("current_period"), 241);
  ASSERT_EQ(document.at("live_seasons").size(), 6U);
  EXPECT_EQ(document.at("live_seasons")[0],
            Json::parse(R"({"season":17,"from":166,"to":255,"devices":0})"));
  // Both figures: any 90 days, and lives of one and three years.
  EXPECT_EQ(document.at("epsilon_in_any"), Json::parse(R"([{"periods":90,"seasons":1,"epsilon":"1"},
                            {"periods":365,"seasons":3,"epsilon":"3"},
                            {"periods":1095,"seasons":7,"epsilon":"7"}])"));
}

TEST_F(EndlessTest, SeasonsBeginWithTheirFirstLines) {
  create(body_of(6, 2, 6));
  // Seasons 1, 2 and 3 are live on day 1, the first two since before the metric.
  EXPECT_EQ(collector_.get("/v1/metrics/m/seasons/1").status, 404);
  const ApiResponse taken = report(1, enrolment(1, 5));
  ASSERT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(Json::parse(taken.body).at("accepted"), 1) << taken.body;
  const Json season = collector_.read("/v1/metrics/m/seasons/1");
  EXPECT_EQ(season.at("devices"), 1);
  EXPECT_EQ(season.at("current_period"), 5);
  EXPECT_FALSE(season.contains("seasons"));
  EXPECT_EQ(collector_.read("/v1/metrics/m").at("live_seasons")[0].at("devices"), 1);
  // The list has the metric, not its seasons.
  EXPECT_EQ(collector_.read("/v1/metrics").at("metrics").size(), 1U);

  EXPECT_EQ(error_code_of(report(4, enrolment(2, 1))), "unknown_season");
  EXPECT_EQ(collector_.get("/v1/metrics/m/seasons/4").status, 404);
  EXPECT_EQ(error_code_of(collector_.call(
                {.method = "POST", .target = "/v1/metrics/m/reports", .body = enrolment(1, 1)})),
            "has_seasons");
  // A season is no metric that an operator could close or delete.
  for (const char* name : {"m%231", "m%23x", "x%231"}) {
    EXPECT_EQ(collector_.send("DELETE", std::string("/v1/metrics/") + name, "").status, 404);
    EXPECT_EQ(collector_.send("PUT", std::string("/v1/metrics/") + name, body_of(6, 2, 6)).status,
              404);
  }
  for (const char* season_text : {"0", "01", "-1", "x", "1%23"}) {
    EXPECT_EQ(collector_.get(std::string("/v1/metrics/m/seasons/") + season_text).status, 404);
  }
  // Once a season is over nothing of it is taken, whether anybody had joined or not.
  collector_.now_ = day(20);
  for (const std::int64_t over : {1, 2}) expect_closed(over);
}

// The first device of a season may be late. It counts until the grace period is over.
TEST_F(EndlessTest, ASeasonMayBeginInItsGracePeriod) {
  create(body_of(6, 2, 6, R"(,"grace_periods":3)"));
  // Season 3 has the days 1 to 6, and season 4 the days 3 to 8.
  collector_.now_ = day(9);
  const ApiResponse taken = report(3, enrolment(1, 2) + signs(1, 2, "++-+-"));
  ASSERT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(Json::parse(taken.body).at("accepted"), 2) << taken.body;
  EXPECT_EQ(collector_.read("/v1/metrics/m/seasons/3").at("state"), "grace");
  collector_.kill();
  EXPECT_EQ(Json::parse(report(3, enrolment(2, 6)).body).at("accepted"), 1);
  EXPECT_EQ(collector_.get("/v1/metrics/m/seasons/4").status, 404);

  collector_.now_ = day(10);
  expect_closed(3);
  for (int time = 0; time < 4; ++time) collector_.tidy();
  expect_closed(3);
  const auto check_final = [&] {
    const Json season = collector_.read("/v1/metrics/m/seasons/3");
    EXPECT_EQ(season.at("state"), "closed");
    EXPECT_EQ(season.at("devices"), 2);
    const Json sums = collector_.read("/v1/metrics/m/seasons/3/sums").at("views")[0];
    EXPECT_EQ(sums.at("sums"), Json::parse("[0,1,1,-1,1,-1]"));
    EXPECT_EQ(sums.at("counts"), Json::parse("[0,1,1,1,1,1]"));
  };
  check_final();
  collector_.kill();
  check_final();
  // Another season may still begin, one day later it may not.
  collector_.now_ = day(11);
  EXPECT_EQ(Json::parse(report(4, enrolment(3, 1)).body).at("accepted"), 1);
  collector_.now_ = day(14);
  expect_closed(4);
  expect_closed(5);
}

TEST_F(EndlessTest, EndsEarlyAndGoesOnAndGoesForGood) {
  create(body_of(6, 2, 6));
  ASSERT_EQ(report(3, enrolment(1, 1)).status, 200);
  collector_.now_ = day(2);
  EXPECT_EQ(collector_.send("POST", "/v1/metrics/m/close", "").status, 200);
  EXPECT_EQ(collector_.read("/v1/metrics/m").at("state"), "closed");
  EXPECT_EQ(collector_.read("/v1/metrics/m/seasons/3").at("state"), "closed");
  EXPECT_EQ(Json::parse(report(3, enrolment(2, 1)).body).at("errors")[0].at("reason"), "closed");
  EXPECT_EQ(collector_.send("POST", "/v1/metrics/m/close", R"({"closed":false})").status, 200);
  EXPECT_EQ(Json::parse(report(3, enrolment(2, 1)).body).at("accepted"), 1);
  EXPECT_EQ(collector_.send("DELETE", "/v1/metrics/m", "").status, 200);
  EXPECT_EQ(collector_.get("/v1/metrics/m/seasons/3").status, 404);
  collector_.kill();
  EXPECT_EQ(collector_.get("/v1/metrics/m").status, 404);
  create(body_of(6, 2, 6));
  EXPECT_EQ(collector_.get("/v1/metrics/m/seasons/3").status, 404);
}

// Reports that were under way while their metric was deleted and made anew are nobody's.
TEST_F(EndlessTest, ASeasonBelongsToTheMetricThatMadeIt) {
  create(body_of(6, 2, 6));
  const MetricDefinition before = collector_.definition("m");
  ASSERT_EQ(collector_.send("DELETE", "/v1/metrics/m", "").status, 200);
  EXPECT_EQ(collector_.create(season_metric(before, 3)).written, Written::kGone);
  create(body_of(6, 2, 6));
  EXPECT_EQ(collector_.create(season_metric(before, 3)).written, Written::kGone);
  EXPECT_TRUE(collector_.create(season_metric(collector_.definition("m"), 3)).created);
}

Json rows_of(KilledCollector& collector, const std::string& metric, const std::string& query = "") {
  return collector.read("/v1/metrics/" + metric + "/estimates?from=1" + query).at("periods");
}

// Runs 30 days.
void run_month(KilledCollector& collector, EndlessFleet& fleet) {
  for (Period t = 1; t <= 30; ++t) {
    collector.now_ = day(t);
    fleet.run_period(t);
    for (int time = 0; time < 4; ++time) collector.tidy();
  }
}

TEST_F(EndlessTest, AllKindsOfValuesWorkAndComeBackFromAnExport) {
  const std::string kinds[] = {
      R"({"kind":"number","low":0,"high":100})",
      R"({"kind":"category","labels":["a","b","c"]})",
      R"({"kind":"distribution","low":0,"high":100,"buckets":8})",
  };
  for (const std::string& kind : kinds) {
    KilledCollector collector(day(1));
    const std::string body = body_of(12, 4, 12, R"(,"value":)" + kind);
    ASSERT_EQ(collector.send("PUT", "/v1/metrics/m", body).status, 201) << kind;
    EndlessFleet fleet(collector, "m", *Calendar::create(12, 4, 12), 200, 9);
    run_month(collector, fleet);
    const Json rows = rows_of(collector, "m");
    std::map<Period, double> shares;
    for (const Json& row : rows) {
      ASSERT_TRUE(row.at("estimate").is_number()) << kind << row;
      ASSERT_GT(row.at("devices"), 50) << kind;
      shares[row.at("period")] += row.at("share").get<double>();
    }
    EXPECT_EQ(shares.size(), 29U);
    if (kind.find("category") != std::string::npos) {
      EXPECT_EQ(rows.size(), 3 * 29U);
      EXPECT_EQ(rows[0].at("label"), "a");
    } else {
      EXPECT_TRUE(rows[0].at("mean").is_number());
    }
    if (kind.find("distribution") != std::string::npos) {
      EXPECT_TRUE(rows_of(collector, "m", "&quantile=0.5")[0].at("value").is_number());
    }
    // Figures outlive the process and an export.
    collector.kill();
    EXPECT_EQ(rows_of(collector, "m"), rows);
    ApiResponse exported = collector.call(
        {.method = "GET", .target = "/v1/metrics/m/export", .authorization = "Bearer the token"});
    ASSERT_EQ(exported.status, 200);
    const ApiResponse made = collector.send("POST", "/v1/metrics/copy/import", exported.body);
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(rows_of(collector, "copy"), rows) << kind;
    test::expect_sums(collector, fleet, 8);
    Json broken = Json::parse(exported.body);
    broken["seasons"][0]["value"].push_back(1);
    EXPECT_EQ(collector.send("POST", "/v1/metrics/broken/import", broken.dump()).status, 400);
  }
}

TEST_F(EndlessTest, WhatTwoCollectorsCountedIsMerged) {
  std::vector<ExportedMetric> exports;
  std::map<Period, double> estimates, devices;
  for (const unsigned seed : {21U, 22U}) {
    KilledCollector collector(day(1));
    ASSERT_EQ(collector.send("PUT", "/v1/metrics/m", body_of(12, 4, 12)).status, 201);
    EndlessFleet fleet(collector, "m", *Calendar::create(12, 4, 12), 100, seed);
    run_month(collector, fleet);
    for (const Json& row : rows_of(collector, "m")) {
      estimates[row.at("period")] += row.at("estimate").get<double>();
      devices[row.at("period")] += row.at("devices").get<double>();
    }
    exports.push_back(*parse_exported_metric(collector
                                                 .call({.method = "GET",
                                                        .target = "/v1/metrics/m/export",
                                                        .authorization = "Bearer the token"})
                                                 .body));
  }
  const Result<ExportedMetric> both = merged(exports[0], exports[1]);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_FALSE(merged(*both, exports[1]));
  collector_.now_ = day(40);
  const ApiResponse made = collector_.send("POST", "/v1/metrics/both/import", to_json(*both));
  ASSERT_EQ(made.status, 201) << made.body;
  for (const Json& row : rows_of(collector_, "both")) {
    const Period t = row.at("period");
    EXPECT_NEAR(row.at("estimate").get<double>(), estimates[t], 1e-6);
    EXPECT_EQ(row.at("devices").get<double>(), devices[t]);
  }
}

// One year of days with a collector that is killed and restarted around the starts of seasons.
TEST_F(EndlessTest, OneYearOfDaysIsExact) {
  const Calendar calendar = *Calendar::create(90, 15, 90);
  create(body_of(90, 15, 90));
  EndlessFleet fleet(collector_, "m", calendar, 60, 7);
  std::map<Period, double> once;  // what was said of a period when it had become final
  std::uint64_t first_cycle = 0, second_cycle = 0;
  constexpr Period kDays = 365;
  test::run_days(collector_, fleet, day(1), kDays, [&](Period t) {
    if (t == 181) first_cycle = collector_.state_bytes();
    if (t == 361) second_cycle = collector_.state_bytes();
    if (t <= 110 || t % 30 != 0) return;
    // All seasons of period t - 110 are final.
    const std::string at = std::to_string(t - 110);
    const Json rows = collector_.read("/v1/metrics/m/estimates?from=" + at + "&to=" + at);
    once[t - 110] = rows.at("periods")[0].at("estimate");
  });
  // Exactly once, in seasons that are final and in those that count.
  for (std::int64_t season = 1; season <= calendar.first_live(kDays) + 5; ++season) {
    if (fleet.enrolled.contains(season)) test::expect_sums(collector_, fleet, season);
  }
  const Json answer = collector_.read("/v1/metrics/m/estimates?from=1&to=365");
  ASSERT_EQ(answer.at("periods").size(), 364U);
  ASSERT_GE(once.size(), 8U);
  for (const auto& [period, estimate] : once) {
    EXPECT_EQ(answer.at("periods")[period - 1].at("estimate"), estimate) << period;
  }
  // The sum over the seasons that were live, as each of them says it.
  std::map<Period, double> value, devices;
  for (const auto& [season, unused] : fleet.enrolled) {
    const Json own = collector_.read("/v1/metrics/m/seasons/" + std::to_string(season) +
                                     "/estimates?from=1&to=90");
    for (const Json& row : own.at("periods")) {
      const std::int64_t t = calendar.first(season) + row.at("period").get<int>() - 1;
      if (t < 1 || row.at("devices") == 0) continue;
      value[static_cast<Period>(t)] += row.at("estimate").get<double>();
      devices[static_cast<Period>(t)] += row.at("devices").get<double>();
    }
  }
  for (const Json& row : answer.at("periods")) {
    const Period t = row.at("period");
    EXPECT_NEAR(row.at("estimate").get<double>(), value[t], 1e-6) << t;
    EXPECT_EQ(row.at("devices").get<double>(), devices[t]) << t;
    EXPECT_NEAR(row.at("share").get<double>(), value[t] / devices[t], 1e-9) << t;
  }
  // After the first cycle only figures grow: 64 bytes for each of the 12 seasons' periods.
  EXPECT_GT(first_cycle, 0U);
  EXPECT_LE(second_cycle, first_cycle + 12 * 90 * 64 + first_cycle / 10);
}

}  // namespace
}  // namespace futurerand
