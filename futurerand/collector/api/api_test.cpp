#include "futurerand/collector/api/api.hpp"

#include <future>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "futurerand/collector/api/gzip.hpp"
#include "futurerand/collector/log/memory_log.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;

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
    options.admin_token = "the token";
    options.max_body_bytes = 4096;
    options.assets = kAssets;
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
  void create(const std::string& name) {
    const ApiResponse response =
        admin("PUT", "/v1/metrics/" + name,
              R"({"periods":4,"max_changes":1,"epsilon":1,"protocol":"optimal","clock":"manual"})");
    ASSERT_EQ(response.status, 201) << response.body;
  }

  static constexpr Asset kAssets[] = {{"index.html", "text/html", "\"1\"", "<p>hello", "packed"}};

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
