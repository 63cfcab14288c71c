#include "futurerand/collector/api/api.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "futurerand/collector/api/gzip.hpp"
#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/collector/writer/writer.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;

std::string deflate_gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    std::abort();
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  // zlib's interface is not const; it does not write through next_in.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

class ApiTest : public testing::Test {
 protected:
  ApiTest()
      : writer_(writer_options(), LoadedState{State({1, 2})}, log_, log_),
        api_(api_options(), writer_) {}

  WriterOptions writer_options() {
    WriterOptions options;
    options.now = [this] { return now_.load(); };
    return options;
  }
  ApiOptions api_options() {
    ApiOptions options;
    options.now = [this] { return now_.load(); };
    options.tokens->replace({.admin = {"the token"}});
    options.max_body_bytes = 4096;
    options.assets = kAssets;
    options.say = [this](Event, const std::string& line) { said_.push_back(line); };
    return options;
  }

  ApiResponse call(ApiRequest request) {
    std::promise<ApiResponse> answer;
    api_.handle(std::move(request), [&](ApiResponse it) { answer.set_value(std::move(it)); });
    ApiResponse response = answer.get_future().get();
    response.finish();
    return response;
  }
  ApiResponse get(const std::string& target) { return call({.method = "GET", .target = target}); }
  ApiResponse post(const std::string& target, const std::string& body) {
    return call({.method = "POST", .target = target, .body = body});
  }
  ApiResponse admin(const std::string& method, const std::string& target, const std::string& body) {
    return call(
        {.method = method, .target = target, .body = body, .authorization = "Bearer the token"});
  }
  static constexpr const char* kTerms =
      R"("periods":4,"max_changes":1,"epsilon":1,"protocol":"optimal")";

  // With a clock that is moved by hand.
  ApiResponse put_manual(const std::string& name, const std::string& terms = kTerms) {
    return admin("PUT", "/v1/metrics/" + name, "{" + terms + R"(,"clock":"manual"})");
  }
  void create(const std::string& name, const std::string& terms = kTerms) {
    const ApiResponse response = put_manual(name, terms);
    ASSERT_EQ(response.status, 201) << response.body;
  }

  void create_again() { EXPECT_EQ(put_manual("m").status, 200); }

  static constexpr Asset kAssets[] = {{"index.html", "text/html", "\"1\"", "<p>hello", "packed"}};

  std::vector<std::string> said_;  // read only while no request is under way
  std::atomic<Instant> now_ = Instant(std::chrono::seconds(1000));
  MemoryLog log_;
  Writer writer_;
  Api api_;
};

std::string code_of(const ApiResponse& response) {
  return Json::parse(response.body).at("error").at("code");
}

TEST(Target, IsReadOrRefused) {
  const auto target = parse_target("/v1/metrics/a%20b/?from=1&to=%32&flag&x=a+b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, (std::vector<std::string>{"v1", "metrics", "a b"}));
  EXPECT_EQ(target->find("to"), "2");
  EXPECT_EQ(target->find("flag"), "");
  EXPECT_EQ(target->find("x"), "a b");
  EXPECT_FALSE(target->find("none"));
  for (const char* wrong : {"", "v1", "/%", "/%2", "/%zz", "/?%=1"}) {
    EXPECT_FALSE(parse_target(wrong)) << wrong;
  }
}

TEST(Gzip, ComesBackWithinTheLimit) {
  const std::string text(10'000, 'x');
  const std::string packed = deflate_gzip(text);
  std::string out;
  EXPECT_EQ(inflate_gzip(packed, 10'000, out), Inflated::kOk);
  EXPECT_EQ(out, text);
  EXPECT_EQ(inflate_gzip(packed, 9'999, out), Inflated::kTooLarge);
  EXPECT_EQ(inflate_gzip(packed.substr(0, packed.size() - 1), 20'000, out), Inflated::kDamaged);
  EXPECT_EQ(inflate_gzip(packed + "x", 20'000, out), Inflated::kDamaged);
  EXPECT_EQ(inflate_gzip("", 20'000, out), Inflated::kDamaged);
}

// A metric that was made when hybrid was what is recommended keeps it, and asking again for it as
// it was asked for is no other metric.
TEST_F(ApiTest, AMetricOutlivesTheRecommendationThatMadeIt) {
  const std::string body =
      R"({"periods":64,"max_changes":1,"epsilon":1,"clock":"manual","start":1000})";
  ASSERT_NE(define_metric("old", body, now_)->plan.protocol, Protocol::kHybrid);
  const MetricDefinition old =
      default_metric("old", *make_plan(Protocol::kHybrid, 64, 1, *Epsilon::parse("1")));
  std::promise<WriteAnswer> written;
  writer_.create(old, [&](const WriteAnswer& answer) { written.set_value(answer); });
  ASSERT_TRUE(written.get_future().get().created);

  const ApiResponse again = admin("PUT", "/v1/metrics/old", body);
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(Json::parse(again.body).at("plan").at("protocol"), "hybrid");
  const ApiResponse other =
      admin("PUT", "/v1/metrics/old",
            R"({"periods":64,"max_changes":1,"epsilon":1,"clock":"manual","start":1000,)"
            R"("protocol":"innovation"})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(code_of(other), "exists");
}

TEST_F(ApiTest, MetricsOfAGroupAgree) {
  const std::string terms = kTerms;
  const auto group = [&](const std::string& shares, const std::string& name = "g") {
    return terms + R"(,"group":{"name":")" + name + R"(","shares":)" + shares + "}";
  };
  const std::string shares = R"({"a":1,"b":3})";
  create("a", group(shares));
  EXPECT_EQ(put_manual("a", group(shares)).status, 200);
  EXPECT_EQ(code_of(put_manual("a", group(R"({"a":2,"b":3})"))), "exists");
  EXPECT_EQ(code_of(put_manual("a", terms)), "exists");
  // Metrics to come have the same group, and no other.
  for (const std::string& other : {group(R"({"a":1,"b":4})"), group(R"({"b":3,"c":1})"),
                                   group(shares, "h"), terms, group(R"({"b":3,"c":1})", "h")}) {
    const ApiResponse refused = put_manual("b", other);
    EXPECT_EQ(refused.status, 409) << other;
    EXPECT_EQ(code_of(refused), "group") << refused.body;
  }
  create("b", group(shares));
  // A metric that exists cannot become a member later.
  create("free");
  EXPECT_EQ(code_of(put_manual("new", group(R"({"free":1,"new":1})", "late"))), "group");
  EXPECT_EQ(code_of(put_manual("c", group(R"({"a":1,"c":1})", "late"))), "group");
  EXPECT_EQ(put_manual("c", group(R"({"x":1,"y":1})")).status, 400);
  EXPECT_EQ(Json::parse(get("/v1/metrics/b").body)["group"].dump(),
            R"({"name":"g","shares":{"a":1,"b":3}})");
}

// One device of a metric that a quarter of the group draws: it stands for four.
TEST_F(ApiTest, AnswersOfAGroupCountAllOfItsDevices) {
  const std::string group = std::string(kTerms) + R"(,"group":{"name":"g","shares":)";
  create("whole");
  create("asked", group + R"({"asked":1,"other":3}})");
  const auto document = [&](const std::string& name) {
    std::string lines;
    for (const char letter : {'a', 'b', 'c'}) {
      const std::string id(32, letter);
      lines += R"({"client":")" + id + R"(","view":0,"period":1})" + "\n" + R"({"client":")" + id +
               R"(","index":1,"signs":"+"})" + "\n";
    }
    EXPECT_EQ(admin("POST", "/v1/metrics/" + name + "/advance", "").status, 200);
    EXPECT_EQ(Json::parse(post("/v1/metrics/" + name + "/reports", lines).body)["accepted"], 6);
    return Json::parse(get("/v1/metrics/" + name + "/estimates").body);
  };
  const Json whole = document("whole"), asked = document("asked");
  const Json one = whole["periods"][0], all = asked["periods"][0];
  EXPECT_EQ(asked["asked_share"], 0.25);
  EXPECT_FALSE(whole.contains("asked_share"));
  EXPECT_EQ(asked["devices"], 12);
  EXPECT_EQ(all["devices"], 12);
  EXPECT_EQ(all["reports"], one["reports"]);
  EXPECT_EQ(all["estimate"].get<double>(), 4 * one["estimate"].get<double>());
  EXPECT_EQ(all["share"], one["share"]);
  // Both include the sampling of devices, the count that of their number too.
  const double p = std::clamp(one["share"].get<double>(), 0.0, 1.0);
  const double sampled = std::hypot(one["stddev"].get<double>(), std::sqrt(3 * p * (1 - p) * 0.75));
  EXPECT_NEAR((all["share_upper"].get<double>() - all["share_lower"].get<double>()) / 2 / 1.959964,
              sampled / 3, 1e-6);
  EXPECT_NEAR(all["stddev"].get<double>(), std::hypot(4 * sampled, p * std::sqrt(3 * 0.75) * 4),
              1e-9);
  EXPECT_NEAR(all["upper"].get<double>() - all["estimate"].get<double>(),
              1.959964 * all["stddev"].get<double>(), 1e-5);
  EXPECT_NEAR(asked["one_device_moves_at_most"].get<double>(),
              4 * whole["one_device_moves_at_most"].get<double>(), 1e-9);
  EXPECT_NE(asked["counted"].get<std::string>().find("all devices of the group"),
            std::string::npos);
}

TEST_F(ApiTest, AFlowFromEnrolmentToEstimate) {
  create("m");
  const std::string id(32, 'a');
  const std::string lines = R"({"client":")" + id + R"(","view":0,"period":1})" + "\n" +
                            R"({"client":")" + id + R"(","index":1,"signs":"++"})" + "\n\r\nbad";
  ASSERT_EQ(admin("POST", "/v1/metrics/m/advance", "").status, 200);
  const Json answer = Json::parse(post("/v1/metrics/m/reports", lines).body);
  EXPECT_EQ(answer["accepted"], 2);
  EXPECT_EQ(answer["rejected"], 1);
  // The second sign is not due yet, and the device is told.
  EXPECT_EQ(answer["errors"][0], (Json{{"line", 2}, {"reason", "early"}, {"expected", 2}}));
  EXPECT_EQ(answer["errors"][1]["reason"], "malformed");
  EXPECT_EQ(answer["errors"][1]["line"], 4);
  const Json estimates = Json::parse(get("/v1/metrics/m/estimates").body);
  ASSERT_EQ(estimates["periods"].size(), 1U);
  EXPECT_EQ(estimates["periods"][0]["reports"], 1);
  const Json sums = Json::parse(get("/v1/metrics/m/sums").body);
  EXPECT_EQ(sums["views"][0]["sums"], (Json{1, 0, 0, 0}));
  const Json metric = Json::parse(get("/v1/metrics/m").body);
  EXPECT_EQ(metric["devices"], 1);
  EXPECT_EQ(metric["current_period"], 2);
  EXPECT_NE(get("/metrics").body.find("futurerand_devices{metric=\"m\"} 1"), std::string::npos);
}

// A device that says more than any honest one does counts for less than it says, and estimates say
// by how much honest ones could.
TEST_F(ApiTest, SaysThatTranscriptsAreCapped) {
  const auto fill = [&](const std::string& name, const std::string& more) {
    create(name, R"("periods":32,"max_changes":2,"initial":"zero","epsilon":1,)"
                 R"("protocol":"innovation")" +
                     more);
    for (Period t = 1; t <= 31; ++t) admin("POST", "/v1/metrics/" + name + "/advance", "");
    const std::string client = R"({"client":")" + std::string(32, 'a') + R"(",)";
    const ApiResponse sent = post("/v1/metrics/" + name + "/reports",
                                  client + R"("view":0,"period":1})" + "\n" + client +
                                      R"("index":1,"signs":")" + std::string(31, '+') + "\"}\n");
    ASSERT_EQ(Json::parse(sent.body)["accepted"], 2) << sent.body;
  };
  const auto estimates = [&](const std::string& name, const std::string& query) {
    return Json::parse(get("/v1/metrics/" + name + "/estimates?" + query).body);
  };
  fill("capped", "");
  fill("uncapped", R"(,"transcript_cap":false)");
  EXPECT_EQ(Json::parse(get("/v1/metrics/capped").body)["transcript_cap"], true);
  EXPECT_EQ(Json::parse(get("/v1/metrics/uncapped").body)["transcript_cap"], false);
  for (const char* query : {"", "estimand=enrolled", "estimand=enrolled&estimator=hindsight"}) {
    const Json capped = estimates("capped", query), uncapped = estimates("uncapped", query);
    const double bias = capped["transcript_cap"]["bias_at_most"];
    EXPECT_EQ(capped["transcript_cap"]["rate"], 0.0001);
    EXPECT_GT(bias, 0);
    EXPECT_LT(bias, 0.0001);  // of one device
    EXPECT_LT(capped["periods"].back()["estimate"].get<double>() + 0.1,
              uncapped["periods"].back()["estimate"].get<double>());
    EXPECT_FALSE(uncapped.contains("transcript_cap"));
  }
  // The trend of all that ever enrolled does not add up devices.
  const Json trend = estimates("capped", "estimand=enrolled&estimator=trend");
  EXPECT_FALSE(trend.contains("transcript_cap"));
}

// A device of the snapshot view reports the first grid point, in period 16.
TEST_F(ApiTest, SaysHowFarOneDeviceMovesALongMetric) {
  create("long", R"("periods":4096,"max_changes":4,"epsilon":1,"protocol":"hybrid")");
  const auto moves = [&] {
    return Json::parse(get("/v1/metrics/long/estimates").body)["one_device_moves_at_most"];
  };
  const Json plan = Json::parse(get("/v1/metrics/long").body)["plan"];
  const std::string view = std::to_string(plan["views"].size() - 1), id(32, 'a');
  post("/v1/metrics/long/reports",
       R"({"client":")" + id + R"(","view":)" + view + R"(,"period":1,"index":1})" + "\n");
  for (Period t = 1; t <= 16; ++t) {
    EXPECT_TRUE(moves().is_null());  // nothing is known yet
    ASSERT_EQ(admin("POST", "/v1/metrics/long/advance", "").status, 200);
  }
  post("/v1/metrics/long/reports", R"({"client":")" + id + R"(","index":1,"signs":"+"})" + "\n");
  // Another one that says the same would double it; some claim may do more.
  const Json document = Json::parse(get("/v1/metrics/long/estimates").body);
  EXPECT_GE(moves().get<double>(), document["periods"].back()["estimate"].get<double>());
}

// Two devices; one of them leaves after period 2, and comes back.
TEST_F(ApiTest, CountsThoseWhoAreActive) {
  create("a", R"("periods":8,"max_changes":1,"epsilon":4,"protocol":"innovation")");
  const std::string ann(32, 'a'), bob(32, 'b');
  const auto send = [&](const std::string& client, const std::string& rest) {
    const ApiResponse sent =
        post("/v1/metrics/a/reports", R"({"client":")" + client + "\"," + rest + "}\n");
    ASSERT_EQ(Json::parse(sent.body)["accepted"], 1) << sent.body;
  };
  const auto advance = [&] { ASSERT_EQ(admin("POST", "/v1/metrics/a/advance", "").status, 200); };
  const auto periods = [&](const std::string& query) {
    return Json::parse(get("/v1/metrics/a/estimates?" + query).body)["periods"];
  };
  send(ann, R"("view":0,"period":1)");
  send(bob, R"("view":0,"period":1)");
  for (Period t = 1; t <= 6; ++t) {
    advance();
    const std::string report = R"("index":)" + std::to_string(t) + R"(,"signs":"+")";
    send(ann, report);
    if (t <= 2) send(bob, report);
  }
  // Period 7 runs. Bob's report of period 3 is missing for more than three periods.
  Json active = periods("");
  EXPECT_EQ(active[1]["expected"], 2);
  EXPECT_EQ(active[2]["expected"], 1);
  EXPECT_EQ(active[5]["expected"], 1);
  EXPECT_EQ(active[5]["reports"], 1);
  EXPECT_EQ(periods("estimand=enrolled")[5]["expected"], 2);
  const Json document = Json::parse(get("/v1/metrics/a/estimates").body);
  EXPECT_EQ(document["estimand"], "active");
  EXPECT_NE(document["counted"].get<std::string>().find("3 periods"), std::string::npos);
  EXPECT_TRUE(document["alarm"].is_null());
  EXPECT_GT(document["one_device_moves_at_most"].get<double>(), 1);
  EXPECT_EQ(Json::parse(get("/v1/metrics/a").body)["inactive_after"], 3);
  // Hindsight is the online estimate.
  EXPECT_EQ(periods("estimator=hindsight"), active);
  send(bob, R"("index":3,"signs":"++++")");
  active = periods("");
  for (const Json& at : active) EXPECT_EQ(at["expected"], 2) << at;

  EXPECT_EQ(get("/v1/metrics/a/estimates?estimand=all").status, 400);
  create("optimal");
  const ApiResponse rare = get("/v1/metrics/optimal/estimates?estimand=active");
  EXPECT_EQ(rare.status, 400);
  EXPECT_NE(rare.body.find("too rarely"), std::string::npos);
  EXPECT_EQ(Json::parse(get("/v1/metrics/optimal/estimates").body)["estimand"], "enrolled");
}

// A request without a start may come again at any time; its clock stays as it began.
TEST_F(ApiTest, TheSameRequestFindsTheClockThatItStarted) {
  const std::string plan = R"({"periods":8,"max_changes":2,"epsilon":"1","period_seconds":100)";
  const ApiResponse first = admin("PUT", "/v1/metrics/m", plan + "}");
  ASSERT_EQ(first.status, 201) << first.body;
  const Json start = Json::parse(first.body)["start"];
  now_ = now_.load() + std::chrono::seconds(7);
  const ApiResponse again = admin("PUT", "/v1/metrics/m", plan + "}");
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(Json::parse(again.body)["start"], start);
  EXPECT_EQ(admin("PUT", "/v1/metrics/m", plan + ",\"start\":" + start.dump() + "}").status, 200);
  const std::string later = std::to_string(start.get<int>() + 1);
  EXPECT_EQ(admin("PUT", "/v1/metrics/m", plan + ",\"start\":" + later + "}").status, 409);
}

TEST_F(ApiTest, OnlyTheAdminMayChangeMetrics) {
  const char* body = R"({"periods":4,"max_changes":1,"epsilon":"1","clock":"manual"})";
  for (const char* given : {"", "Bearer", "Bearer ", "Bearer the toke", "Bearer the token ",
                            "the token", "Basic the token"}) {
    const ApiResponse response =
        call({.method = "PUT", .target = "/v1/metrics/m", .body = body, .authorization = given});
    EXPECT_EQ(response.status, 401) << given;
  }
  EXPECT_EQ(admin("PUT", "/v1/metrics/m", body).status, 201);
}

TEST_F(ApiTest, TheOperatorHearsOfMetricsAndOfRefusedTokens) {
  create("m");
  EXPECT_EQ(said_, (std::vector<std::string>{"created metric 'm': optimal, 4 periods, epsilon 1"}));
  create_again();
  EXPECT_EQ(said_.size(), 1U);
  const auto guess = [&] {
    const ApiResponse refused =
        call({.method = "PUT", .target = "/v1/metrics/x%0Ay", .authorization = "Bearer guess"});
    EXPECT_NE(refused.body.find("the admin token is wrong"), std::string::npos);
  };
  for (int i = 0; i < 100; ++i) guess();
  ASSERT_EQ(said_.size(), 2U);  // one line a second, whatever a stranger sends
  EXPECT_EQ(said_[1], "refused PUT /v1/metrics/{name}: the admin token is missing or wrong");
  now_ = now_.load() + std::chrono::seconds(2);
  guess();
  ASSERT_EQ(said_.size(), 3U);
  EXPECT_NE(said_[2].find("(and 99 more before)"), std::string::npos);
}

TEST_F(ApiTest, AStartWhoseHorizonIsOverIsRefused) {
  now_ = Instant(std::chrono::seconds(1'000'000));
  const auto put = [&](const std::string& name, int start) {
    return admin("PUT", "/v1/metrics/" + name,
                 R"({"periods":4,"max_changes":1,"epsilon":"1","period_seconds":100,"start":)" +
                     std::to_string(start) + "}");
  };
  const ApiResponse late = put("late", 1'000'000 - 400);
  EXPECT_EQ(late.status, 400);
  EXPECT_EQ(code_of(late), "bad_metric");
  EXPECT_NE(late.body.find("start is 1970-01-12T13:40:00Z"), std::string::npos) << late.body;
  EXPECT_NE(late.body.find("expected"), std::string::npos);
  EXPECT_EQ(get("/v1/metrics/late").status, 404);  // the name is free
  EXPECT_EQ(put("late", 1'000'000 - 399).status, 201);
  // The same body again is answered 200 even when it would be too late for a new one.
  now_ = Instant(std::chrono::seconds(1'001'000));
  EXPECT_EQ(put("late", 1'000'000 - 399).status, 200);
}

TEST_F(ApiTest, EarlyLinesAreCountedApart) {
  create("m");
  const std::string id(32, 'a');
  const std::string lines = R"({"client":")" + id + R"(","view":0,"period":1})" + "\n" +
                            R"({"client":")" + id + R"(","index":1,"signs":"+"})" + "\n";
  const Json answer = Json::parse(post("/v1/metrics/m/reports", lines).body);
  EXPECT_EQ(answer["accepted"], 1);
  EXPECT_EQ(answer["early"], 1);
  EXPECT_EQ(answer["rejected"], 0);
  EXPECT_EQ(answer["errors"][0]["reason"], "early");
  const Json metric = Json::parse(get("/v1/metrics/m").body);
  EXPECT_EQ(metric["early"], 1);
  EXPECT_EQ(metric["rejected"], 0);
  EXPECT_EQ(metric["lines_since"], 1000);
  EXPECT_NE(get("/metrics").body.find("outcome=\"early\"} 1"), std::string::npos);
}

TEST_F(ApiTest, WhatIsUnknownIsNullAndSaid) {
  create("m");
  const auto estimates = [&] { return Json::parse(get("/v1/metrics/m/estimates").body); };
  EXPECT_EQ(estimates()["note"], "No device has joined yet, so nothing is known.");
  (void)admin("POST", "/v1/metrics/m/advance", "");
  for (const char* key : {"estimate", "stddev", "lower", "upper"}) {
    EXPECT_TRUE(estimates()["periods"][0][key].is_null()) << key;
  }
  // One device of all orders but one, which joined in the second period.
  const std::string line = R"({"client":")" + std::string(32, 'b') + R"(","view":0,"period":2})";
  ASSERT_EQ(Json::parse(post("/v1/metrics/m/reports", line).body)["accepted"], 1);
  EXPECT_NE(estimates()["note"].get<std::string>().find("1 of 1 periods are unknown"),
            std::string::npos);
  EXPECT_TRUE(estimates()["periods"][0]["estimate"].is_null());
}

TEST_F(ApiTest, GzipBodiesAreLimited) {
  create("m");
  ApiRequest request{.method = "POST",
                     .target = "/v1/metrics/m/reports",
                     .body = deflate_gzip(std::string(1'000'000, '\n')),
                     .content_encoding = "gzip"};
  EXPECT_EQ(code_of(call(request)), "too_large");
  request.body = deflate_gzip("\n\n");
  EXPECT_EQ(call(request).status, 200);
}

TEST_F(ApiTest, AFullLogIsAnswered503) {
  create("m");
  log_.full = true;
  const std::string line = R"({"client":")" + std::string(32, '1') + R"(","view":0,"period":1})";
  const ApiResponse response = post("/v1/metrics/m/reports", line);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(code_of(response), "no_room");
  EXPECT_EQ(response.headers[0].first, "Retry-After");
  EXPECT_EQ(get("/healthz").status, 503);
}

TEST_F(ApiTest, EventsFollowThePeriods) {
  create("m");
  EXPECT_EQ(get("/v1/metrics/none/events").status, 404);
  EXPECT_EQ(post("/v1/metrics/m/events", "").status, 405);
  const auto events = get("/v1/metrics/m/events").stream;
  ASSERT_NE(events, nullptr);
  EXPECT_NE(events->next().find("event: period"), std::string::npos);
  EXPECT_EQ(events->next(), "");
  (void)admin("POST", "/v1/metrics/m/advance", "");
  EXPECT_NE(events->next().find("event: estimate\ndata: {\"period\":1,"), std::string::npos);
  now_ = now_.load() + std::chrono::minutes(1);
  EXPECT_EQ(events->next().substr(0, 1), ":");
}

TEST_F(ApiTest, ThePageIsServedOnce) {
  EXPECT_EQ(get("/").body, "<p>hello");
  EXPECT_EQ(call({.method = "GET", .target = "/index.html", .accept_encoding = "gzip, br"}).body,
            "packed");
  EXPECT_EQ(call({.method = "GET", .target = "/", .if_none_match = "\"1\""}).status, 304);
  EXPECT_EQ(get("/none.js").status, 404);
}

}  // namespace
}  // namespace futurerand
