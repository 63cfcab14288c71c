// Results by segment through the API: creation, lines, estimates and comparisons; kill and replay.
#include <gtest/gtest.h>

#include "futurerand/collector/api/test/endless_fleet.hpp"

namespace futurerand {
namespace {

using test::Json;
using test::KilledCollector;

const std::string kTarget = "/v1/metrics/m";
const std::string kEstimatesOfM = kTarget + "/estimates";
constexpr const char* kParameters = R"("periods":8,"max_changes":1,"epsilon":"4","clock":"manual")";
constexpr const char* kPlatform =
    R"(,"segment":{"name":"platform","values":["linux","mac","windows"]})";

ClientId numbered_client(std::uint32_t number) {
  ClientId id;
  id.bytes[0] = static_cast<std::uint8_t>(number);
  id.bytes[1] = static_cast<std::uint8_t>(number >> 8);
  return id;
}

class SegmentsTest : public testing::Test {
 protected:
  ApiResponse put(const std::string& name, const std::string& more) {
    return collector_.send("PUT", "/v1/metrics/" + name,
                           std::string("{") + kParameters + more + "}");
  }
  ApiResponse post(const std::string& name, const std::string& body) {
    return collector_.call(
        {.method = "POST", .target = "/v1/metrics/" + name + "/reports", .body = body});
  }
  void advance(const std::string& name, int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(collector_.send("POST", "/v1/metrics/" + name + "/advance", "").status, 200);
    }
  }
  // Devices of the segments in turn, whose signs are the bits of their number.
  static std::string lines_of(std::uint32_t from, std::uint32_t to,
                              const std::vector<std::string>& segments) {
    std::string lines;
    for (std::uint32_t i = from; i < to; ++i) {
      const ClientId id = numbered_client(i);
      lines += to_line(Enrolment{id, 0, 1, 0, segments[i % segments.size()]}) + '\n';
      PackedSigns signs;
      for (std::uint32_t t = 0; t < 4; ++t) {
        signs.push_back(sign_of((i * 2654435761U >> (t + 8)) % 3 == 0));
      }
      lines += to_line(Report{id, 1, signs}) + '\n';
    }
    return lines;
  }
  std::string query_error(const std::string& query) {
    const ApiResponse response =
        collector_.call({.method = "GET", .target = kEstimatesOfM + query});
    EXPECT_EQ(response.status, 400) << response.body;
    return Json::parse(response.body).at("error").at("message");
  }

  KilledCollector collector_{Instant(std::chrono::seconds(1'800'000'000))};
};

TEST_F(SegmentsTest, AreCountedApartAndAddUp) {
  ASSERT_EQ(put("m", kPlatform).status, 201);
  EXPECT_EQ(collector_.read(kTarget).at("plan").at("segment"),
            Json::parse(R"({"name":"platform","values":["linux","mac","windows"]})"));
  ASSERT_EQ(put("alone", "").status, 201);
  advance("m", 4);
  advance("alone", 4);
  ASSERT_EQ(post("m", lines_of(0, 300, {"linux", "mac", "windows", "mac"})).status, 200);
  // The devices of one segment, as a metric of their own.
  std::string mac;
  for (std::uint32_t i = 0; i < 300; ++i) {
    if (i % 2 == 1) mac += lines_of(i, i + 1, {""});
  }
  ASSERT_EQ(post("alone", mac).status, 200);

  const Json alone = collector_.read("/v1/metrics/alone/estimates");
  Json one = collector_.read(kEstimatesOfM + "?segment=mac");
  EXPECT_EQ(one.at("segment"), "mac");
  EXPECT_EQ(one.at("devices"), 150);
  for (Json& row : one.at("periods")) {
    EXPECT_EQ(row.at("segment"), "mac");
    row.erase("segment");
  }
  EXPECT_EQ(one.at("periods"), alone.at("periods"));
  EXPECT_EQ(one.at("one_device_moves_at_most"), alone.at("one_device_moves_at_most"));

  const Json all = collector_.read(kEstimatesOfM);
  const Json by = collector_.read(kEstimatesOfM + "?by=segment");
  EXPECT_EQ(by.at("devices"), all.at("devices"));
  ASSERT_EQ(by.at("segments").size(), 3U);
  EXPECT_EQ(by.at("segments")[0].at("devices"), 75);
  ASSERT_EQ(by.at("periods").size(), 3 * all.at("periods").size());
  for (std::size_t t = 0; t < all.at("periods").size(); ++t) {
    double estimate = 0;
    int devices = 0, reports = 0;
    for (std::size_t g = 0; g < 3; ++g) {
      const Json& row = by.at("periods")[3 * t + g];
      EXPECT_EQ(row.at("period"), t + 1);
      EXPECT_EQ(row.at("segment"), by.at("segments")[g].at("segment"));
      estimate += row.at("estimate").get<double>();
      devices += row.at("devices").get<int>();
      reports += row.at("reports").get<int>();
    }
    const Json& row = all.at("periods")[t];
    EXPECT_NEAR(estimate, row.at("estimate").get<double>(), 1e-6);
    EXPECT_EQ(devices, row.at("devices").get<int>());
    EXPECT_EQ(reports, row.at("reports").get<int>());
  }
  const ApiResponse csv = collector_.call(
      {.method = "GET", .target = kEstimatesOfM + "?by=segment", .accept = "text/csv"});
  EXPECT_TRUE(csv.body.starts_with("period,segment,from,to,estimate,")) << csv.body;
  EXPECT_NE(csv.body.find("\n1,linux,"), std::string::npos);
}

TEST_F(SegmentsTest, TwoAreComparedWithABand) {
  ASSERT_EQ(put("m", kPlatform).status, 201);
  advance("m", 4);
  ASSERT_EQ(post("m", lines_of(0, 300, {"linux", "mac", "windows", "mac"})).status, 200);
  const Json mac = collector_.read(kEstimatesOfM + "?segment=mac&window=2").at("periods");
  const Json linux = collector_.read(kEstimatesOfM + "?segment=linux&window=2").at("periods");
  const Json both = collector_.read(kEstimatesOfM + "?segment=mac&against=linux&window=2");
  EXPECT_EQ(both.at("segment"), "mac");
  EXPECT_EQ(both.at("against"), "linux");
  ASSERT_EQ(both.at("periods").size(), mac.size());
  const double quantile = 1.959963984540054;
  for (std::size_t t = 0; t < mac.size(); ++t) {
    const Json& row = both.at("periods")[t];
    const auto number = [](const Json& of, const char* key) { return of.at(key).get<double>(); };
    EXPECT_NEAR(number(row, "difference"),
                number(mac[t], "estimate") - number(linux[t], "estimate"), 1e-9);
    EXPECT_NEAR(number(row, "share_difference"),
                number(mac[t], "share") - number(linux[t], "share"), 1e-12);
    const double a = number(mac[t], "stddev") / number(mac[t], "devices");
    const double b = number(linux[t], "stddev") / number(linux[t], "devices");
    const double stddev = std::sqrt(a * a + b * b);
    EXPECT_NEAR(number(row, "share_stddev"), stddev, 1e-12);
    EXPECT_NEAR(number(row, "share_upper"), number(row, "share_difference") + quantile * stddev,
                1e-9);
    EXPECT_NEAR(number(row, "share_lower"), number(row, "share_difference") - quantile * stddev,
                1e-9);
    EXPECT_EQ(row.at("against_devices"), linux[t].at("devices"));
  }
  const ApiResponse csv = collector_.call({.method = "GET",
                                           .target = kEstimatesOfM + "?segment=mac&against=linux",
                                           .accept = "text/csv"});
  EXPECT_TRUE(csv.body.starts_with("period,from,to,segment,against,difference,")) << csv.body;
}

TEST_F(SegmentsTest, SurviveAKillAndAnExport) {
  ASSERT_EQ(put("m", kPlatform).status, 201);
  advance("m", 4);
  ASSERT_EQ(post("m", lines_of(0, 200, {"linux", "mac", "windows", "mac"})).status, 200);
  const Json before = collector_.read(kEstimatesOfM + "?by=segment");
  const Json sums = collector_.read(kTarget + "/sums");
  collector_.kill();
  EXPECT_EQ(collector_.read(kEstimatesOfM + "?by=segment"), before);
  EXPECT_EQ(collector_.read(kTarget + "/sums"), sums);
  ASSERT_EQ(post("m", lines_of(0, 200, {"linux", "mac", "windows", "mac"})).status, 200);
  EXPECT_EQ(collector_.read(kTarget + "/sums"), sums);

  const std::string exported = collector_.send("GET", kTarget + "/export", "").body;
  const ApiResponse imported = collector_.send("POST", "/v1/metrics/copy/import", exported);
  ASSERT_EQ(imported.status, 201) << imported.body;
  Json copy = collector_.read("/v1/metrics/copy/estimates?by=segment");
  copy["metric"] = "m";
  EXPECT_EQ(copy, before);
  // A segment's sums that do not add up to the metric's are refused.
  Json wrong = Json::parse(exported);
  Json& views = wrong["sums"]["segments"][0]["views"];
  views[0]["enrolled"][0] = views[0]["enrolled"][0].get<int>() + 1;
  EXPECT_EQ(collector_.send("POST", "/v1/metrics/wrong/import", wrong.dump()).status, 400);
  wrong = Json::parse(exported);
  wrong["sums"]["segments"].erase(2);
  EXPECT_EQ(collector_.send("POST", "/v1/metrics/wrong/import", wrong.dump()).status, 400);
}

TEST_F(SegmentsTest, BadInputSaysWhatWasExpected) {
  ASSERT_EQ(put("m", kPlatform).status, 201);
  ASSERT_EQ(put("plain", "").status, 201);
  const auto reason = [&](const std::string& metric, const std::string& segment) {
    const std::string line = to_line(Enrolment{numbered_client(1), 0, 1, 0, segment}) + '\n';
    const Json answer = Json::parse(post(metric, line).body);
    EXPECT_EQ(answer.at("rejected"), 1) << answer;
    return answer.at("errors")[0].at("reason").get<std::string>();
  };
  EXPECT_EQ(reason("m", "amiga"), "bad_segment");
  EXPECT_EQ(reason("m", ""), "bad_segment");
  EXPECT_EQ(reason("plain", "linux"), "bad_segment");
  EXPECT_EQ(query_error("?segment=amiga"),
            "the segment 'amiga' is unknown; expected platform as one of linux, mac, windows");
  EXPECT_EQ(query_error("?segment="),
            "the segment is missing; expected platform as one of linux, mac, windows");
  EXPECT_EQ(query_error("?segment=linux&by=segment"),
            "segment and by=segment exclude each other; expected one of them");
  EXPECT_EQ(query_error("?against=linux"), "segment is missing; expected the one to compare");
  EXPECT_EQ(query_error("?segment=linux&against=linux"),
            "against is 'linux', the segment itself; expected another one");
  EXPECT_EQ(query_error("?by=colour"), "by is label, cumulative or segment");
  const std::string duplicate = R"(,"segment":{"name":"p","values":["a","a"]})";
  EXPECT_NE(put("twice", duplicate).body.find("the value 'a' occurs twice"), std::string::npos);
  EXPECT_EQ(put("none", R"(,"segment":{"name":"p","values":[]})").status, 400);
  EXPECT_EQ(put("empty", R"(,"segment":{"name":"","values":["a"]})").status, 400);
  EXPECT_EQ(put("key", R"(,"segment":{"name":"p","values":["a"],"x":1})").status, 400);
  Json many = Json::parse(R"({"name":"p","values":[]})");
  for (int i = 0; i < 257; ++i) many["values"].push_back("v" + std::to_string(i));
  EXPECT_NE(
      put("many", ",\"segment\":" + many.dump()).body.find("has 257 values; expected 1 to 256"),
      std::string::npos);
  // The same metric with other segments is another one.
  EXPECT_EQ(put("m", kPlatform).status, 200);
  EXPECT_EQ(put("m", R"(,"segment":{"name":"platform","values":["linux"]})").status, 409);
}

// Sums are kept for each segment, and count toward the limit.
TEST_F(SegmentsTest, CountTowardTheMemoryOfAMetric) {
  Json many = Json::parse(R"({"name":"p","values":[]})");
  for (int i = 0; i < 256; ++i) many["values"].push_back("v" + std::to_string(i));
  const std::string labels =
      R"({"periods":256,"max_changes":3,"epsilon":"1","clock":"manual","value":{"kind":"text"})";
  EXPECT_EQ(collector_.send("PUT", "/v1/metrics/plain", labels + "}").status, 201);
  const ApiResponse refused =
      collector_.send("PUT", "/v1/metrics/many", labels + ",\"segment\":" + many.dump() + "}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("fewer segments"), std::string::npos) << refused.body;
}

// A metric without an end: panels by season, for each segment, before and after they are final.
TEST_F(SegmentsTest, HavePanelsOfTheirOwn) {
  const auto day = [](std::int64_t number) {
    return Instant(std::chrono::seconds(1'800'000'000 + (number - 1) * 86'400 + 60));
  };
  collector_.now_ = day(1);
  const std::string body =
      R"({"periods":4,"max_changes":1,"epsilon":"4","period_seconds":86400,"start":1800000000,)"
      R"("seasons":{"every":2,"rest":4})";
  ASSERT_EQ(collector_.send("PUT", kTarget, body + kPlatform + "}").status, 201);
  ASSERT_EQ(collector_.send("PUT", "/v1/metrics/alone", body + "}").status, 201);
  // Season 2 has days 1 to 4.
  const std::string all = lines_of(0, 300, {"linux", "mac", "windows", "mac"});
  std::string mac;
  for (std::uint32_t i = 1; i < 300; i += 2) mac += lines_of(i, i + 1, {""});
  for (const auto& [when, name, lines] : {std::tuple(1, "m", all), std::tuple(1, "alone", mac),
                                          std::tuple(5, "m", all), std::tuple(5, "alone", mac)}) {
    // On the first day the reports are early. On the fifth the enrolments are duplicates.
    collector_.now_ = day(when);
    const ApiResponse taken =
        collector_.call({.method = "POST",
                         .target = std::string("/v1/metrics/") + name + "/seasons/2/reports",
                         .body = lines});
    ASSERT_EQ(taken.status, 200) << taken.body;
    ASSERT_EQ(Json::parse(taken.body).at("rejected"), 0) << taken.body.substr(0, 200);
  }
  const auto expect_same = [&](const std::string& more) {
    const std::string range = "?from=1&to=4";
    Json one = collector_.read(kTarget + more + "/estimates" + range + "&segment=mac");
    const Json alone = collector_.read("/v1/metrics/alone" + more + "/estimates" + range);
    ASSERT_EQ(one.at("periods").size(), 4U);
    for (std::size_t t = 0; t < 4; ++t) {
      Json& row = one.at("periods")[t];
      row.erase("segment");
      for (const auto& [key, value] : alone.at("periods")[t].items()) {
        if (value.is_number_float()) {
          EXPECT_NEAR(row.at(key).get<double>(), value.get<double>(), 1e-6) << key;
        } else {
          EXPECT_EQ(row.at(key), value) << key;
        }
      }
    }
    const Json by = collector_.read(kTarget + more + "/estimates" + range + "&by=segment");
    EXPECT_EQ(by.at("periods").size(), 12U);
    EXPECT_EQ(by.at("periods")[1].at("segment"), "mac");
    EXPECT_EQ(by.at("periods")[1].at("devices"), 150);
  };
  expect_same("");
  expect_same("/seasons/2");
  const Json sums = collector_.read(kTarget + "/seasons/2/sums");
  collector_.kill();
  expect_same("");
  for (int i = 6; i < 12; ++i) {
    collector_.now_ = day(i);
    collector_.tidy();
    collector_.tidy();
  }
  // It is final by now.
  EXPECT_EQ(collector_.read(kTarget + "/seasons/2/sums").at("segments"), sums.at("segments"));
  expect_same("");
  expect_same("/seasons/2");
  collector_.kill();
  expect_same("");
  const std::string exported = collector_.send("GET", kTarget + "/export", "").body;
  ASSERT_EQ(collector_.send("POST", "/v1/metrics/copy/import", exported).status, 201);
  const std::string query = "/estimates?from=1&to=4&by=segment";
  EXPECT_EQ(collector_.read("/v1/metrics/copy" + query).at("periods"),
            collector_.read(kTarget + query).at("periods"));
}

// Labels, and a distribution's mean, of one segment are those of its devices alone.
TEST_F(SegmentsTest, HaveLabelsAndMeans) {
  const std::string labels = R"(,"value":{"kind":"category","labels":["a","b","c"]})";
  const std::string buckets = R"(,"value":{"kind":"distribution","low":0,"high":8,"buckets":8})";
  for (const std::string& value : {labels, buckets}) {
    const std::string name = value == labels ? "m" : "n";
    const std::string target = "/v1/metrics/" + name;
    ASSERT_EQ(put(name, value + kPlatform).status, 201);
    ASSERT_EQ(put(name + "-alone", value).status, 201);
    advance(name, 4);
    advance(name + "-alone", 4);
    ASSERT_EQ(post(name, lines_of(0, 300, {"linux", "mac", "windows", "mac"})).status, 200);
    std::string mac;
    for (std::uint32_t i = 1; i < 300; i += 2) mac += lines_of(i, i + 1, {""});
    ASSERT_EQ(post(name + "-alone", mac).status, 200);
    for (const std::string query : {"?level=0.9", "?by=label", "?window=2"}) {
      Json one = collector_.read(target + "/estimates" + query + "&segment=mac");
      for (Json& row : one.at("periods")) row.erase("segment");
      const Json alone = collector_.read(target + "-alone/estimates" + query);
      EXPECT_EQ(one.at("periods"), alone.at("periods")) << query;
      const Json both =
          collector_.read(target + "/estimates" + query + "&segment=mac&against=linux");
      EXPECT_EQ(both.at("periods").size(), alone.at("periods").size());
    }
    const Json by = collector_.read(target + "/estimates?by=segment");
    EXPECT_EQ(by.at("periods").size(),
              3 * collector_.read(target + "/estimates").at("periods").size());
  }
  EXPECT_EQ(query_error("?segment=mac&against=linux&top=2"),
            "top and quantile are not compared; expected labels or cumulative counts");
}

}  // namespace
}  // namespace futurerand
