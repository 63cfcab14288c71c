// A metric without an end through the C interface: the same calls, and seasons that come and go.
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bindings/c/test/handles_under_test.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::accepted;
using test::Handles;
using test::Records;
using test::Tape;
using test::text_of;

constexpr std::int64_t kStart = 100'000, kSeconds = 100;

// 6 on, 4 off; or a metric of 6 periods.
std::string document(bool endless) {
  const Plan plan =
      *make_plan(Protocol::kInnovation, 6, 1, *Epsilon::parse("0.5"), Initial::kUnknown);
  nlohmann::json json = {{"name", "endless"},
                         {"plan", nlohmann::json::parse(to_json(plan))},
                         {"clock", "wall"},
                         {"start", kStart},
                         {"period_seconds", kSeconds},
                         {"current_period", 1}};
  if (endless) json["seasons"] = {{"every", 2}, {"rest", 4}};
  return json.dump();
}

struct EndlessHandles : Handles {
  Records records;
  Tape tape;

  EndlessHandles() {
    std::mt19937 random(3);
    for (int i = 0; i < 100'000; ++i) tape.bytes.push_back(static_cast<std::uint8_t>(random()));
  }
  void open_device() {
    const fr_store store = records.store();
    const fr_entropy entropy = tape.entropy();
    ASSERT_EQ(fr_device_open(&store, "16", nullptr, &entropy, &device, &error), FR_OK);
  }
  void accept(const std::string& json) {
    ASSERT_EQ(fr_metric_accept(json.data(), json.size(), &metric, &error), FR_OK) << error.message;
  }
  fr_code believe(std::int64_t period) {
    return fr_device_believe(device, kStart + (period - 1) * kSeconds + 50, &error);
  }
  nlohmann::json about() {
    char* json = nullptr;
    EXPECT_EQ(fr_client_about(client, &json, &error), FR_OK);
    return nlohmann::json::parse(text_of(json));
  }
  std::string path(const std::string& lines) {
    char* text = nullptr;
    EXPECT_EQ(fr_client_path(client, lines.data(), lines.size(), &text, &error), FR_OK)
        << error.message;
    return text_of(text);
  }
};

// The code of an application: it is the same for both kinds of metrics.
void run_once_a_period(EndlessHandles& it, std::uint32_t period,
                       std::map<std::string, std::string>& sent) {
  if (it.client == nullptr) {
    ASSERT_EQ(fr_client_open(it.device, it.metric, period, &it.client, &it.error), FR_OK)
        << it.error.message;
  }
  ASSERT_EQ(fr_client_observe(it.client, period, period % 5 == 0, &it.error), FR_OK)
      << it.error.message;
  for (std::string lines = it.lines(); !lines.empty(); lines = it.lines()) {
    sent[it.path(lines)] += lines;
    ASSERT_EQ(it.acknowledge(lines, accepted(lines)), FR_OK) << it.error.message;
  }
}

TEST(Seasons, AnApplicationDoesNotChange) {
  for (const bool endless : {false, true}) {
    EndlessHandles it;
    it.open_device();
    it.accept(document(endless));
    std::map<std::string, std::string> sent;
    std::set<std::string> clients;
    int resting = 0;
    for (std::uint32_t period = 1; period <= 35; ++period) {
      ASSERT_EQ(it.believe(period), FR_OK);
      run_once_a_period(it, period, sent);
      const nlohmann::json about = it.about();
      EXPECT_EQ(about["endless"], endless);
      if (about["client"].is_null()) {
        ++resting;
      } else {
        clients.insert(about["client"]);
      }
      if (period % 7 == 0) fr_client_close(&it.client);  // and it goes on from its records
    }
    if (!endless) {
      EXPECT_EQ(sent.size(), 1U);
      EXPECT_EQ(sent.begin()->first, "/v1/metrics/endless/reports");
      EXPECT_EQ(clients.size(), 1U);
      continue;
    }
    EXPECT_GE(sent.size(), 3U);
    EXPECT_EQ(sent.size(), clients.size());
    EXPECT_GT(resting, 10);
    for (const auto& [path, lines] : sent) {
      EXPECT_EQ(path.rfind("/v1/metrics/endless/seasons/", 0), 0U) << path;
      EXPECT_EQ(lines.find("\"client\""), lines.rfind("\"client\"", lines.find('\n')));
    }
    char* json = nullptr;
    ASSERT_EQ(fr_device_ledger(it.device, &json, &it.error), FR_OK);
    const auto ledger = nlohmann::json::parse(text_of(json));
    EXPECT_EQ(ledger["spent"], clients.size() == 4 ? "2" : "1.5");
    EXPECT_TRUE(ledger["metrics"].back()["season"].is_number());
    EXPECT_TRUE(ledger["window"].is_null());
  }
}

TEST(Seasons, AWindowHoldsWhateverServersAsk) {
  EndlessHandles it;
  it.open_device();
  ASSERT_EQ(fr_device_set_window(it.device, "0.5", 100 * kSeconds, &it.error), FR_OK);
  it.accept(document(true));
  std::map<std::string, std::string> sent;
  for (std::uint32_t period = 1; period <= 60; ++period) {
    ASSERT_EQ(it.believe(period), FR_OK);
    run_once_a_period(it, period, sent);
  }
  EXPECT_EQ(sent.size(), 1U);
  char* json = nullptr;
  ASSERT_EQ(fr_device_ledger(it.device, &json, &it.error), FR_OK);
  const auto ledger = nlohmann::json::parse(text_of(json));
  EXPECT_EQ(ledger["window"]["spent"], "0.5");
  EXPECT_EQ(ledger["window"]["seconds"], 100 * kSeconds);
}

// The terms are pinned for ever: a server cannot change the next season.
TEST(Seasons, ServersCannotChangeTheNextOne) {
  EndlessHandles it;
  it.open_device();
  it.accept(document(true));
  ASSERT_EQ(it.believe(1), FR_OK);
  ASSERT_EQ(fr_client_open(it.device, it.metric, 1, &it.client, &it.error), FR_OK);
  fr_client_close(&it.client);
  fr_metric_close(&it.metric);
  nlohmann::json changed = nlohmann::json::parse(document(true));
  changed["seasons"]["rest"] = 0;
  it.accept(changed.dump());
  EXPECT_EQ(fr_client_open(it.device, it.metric, 1, &it.client, &it.error), FR_REFUSED);
  EXPECT_NE(std::string(it.error.message).find("the same terms for ever"), std::string::npos);
}

// A user who takes the agreement back stays in the season that runs, and joins no other one.
TEST(Seasons, NothingIsJoinedWithoutTheUser) {
  EndlessHandles it;
  it.open_device();
  it.accept(document(true));
  std::map<std::string, std::string> sent;
  std::uint32_t period = 1;
  for (; sent.empty(); ++period) {
    ASSERT_EQ(it.believe(period), FR_OK);
    run_once_a_period(it, period, sent);
  }
  ASSERT_EQ(fr_device_set_participation(it.device, "local_only", &it.error), FR_OK);
  for (const std::uint32_t end = period + 20; period < end; ++period) {
    ASSERT_EQ(it.believe(period), FR_OK);
    run_once_a_period(it, period, sent);
  }
  EXPECT_EQ(sent.size(), 1U);
  ASSERT_EQ(fr_device_set_participation(it.device, "on", &it.error), FR_OK);
  for (const std::uint32_t end = period + 10; period < end; ++period) {
    ASSERT_EQ(it.believe(period), FR_OK);
    run_once_a_period(it, period, sent);
  }
  EXPECT_GE(sent.size(), 2U);
}

// After the user said no, an application can still open the client, to leave.
TEST(Seasons, ADeviceThatIsOffOpensWhatItJoined) {
  EndlessHandles it;
  it.open_device();
  it.accept(document(true));
  std::map<std::string, std::string> sent;
  std::uint32_t period = 1;
  for (; sent.empty(); ++period) {
    ASSERT_EQ(it.believe(period), FR_OK);
    run_once_a_period(it, period, sent);
  }
  ASSERT_EQ(fr_device_set_participation(it.device, "off", &it.error), FR_OK);
  fr_client_close(&it.client);
  ASSERT_EQ(fr_client_open(it.device, it.metric, period, &it.client, &it.error), FR_OK)
      << it.error.message;
  ASSERT_EQ(fr_client_leave(it.client, period, &it.error), FR_OK);
  char* lines = nullptr;
  ASSERT_EQ(fr_client_lines(it.client, &lines, &it.error), FR_OK);
  EXPECT_NE(text_of(lines).find("\"leave\""), std::string::npos);
  // Nor does it pin a metric that it never joined.
  fr_client_close(&it.client);
  fr_metric_close(&it.metric);
  std::string other = document(true);
  other.replace(other.find("endless"), 7, "another");
  it.accept(other);
  EXPECT_EQ(fr_client_open(it.device, it.metric, period, &it.client, &it.error), FR_NOT_STARTED);
}

TEST(Seasons, SayWhatIsWrong) {
  EndlessHandles it;
  it.open_device();
  EXPECT_EQ(fr_device_set_window(it.device, "0.5", 0, &it.error), FR_INVALID);
  EXPECT_EQ(fr_device_set_window(it.device, "x", 10, &it.error), FR_INVALID);
  EXPECT_EQ(fr_device_set_window(it.device, nullptr, 10, &it.error), FR_INVALID);
  EXPECT_EQ(fr_device_set_window(nullptr, "1", 10, &it.error), FR_INVALID);
  EXPECT_EQ(fr_device_believe(it.device, 0, &it.error), FR_INVALID);
  EXPECT_EQ(fr_device_believe(nullptr, 1, &it.error), FR_INVALID);
  it.accept(document(true));
  ASSERT_EQ(it.believe(20), FR_OK);
  ASSERT_EQ(fr_client_open(it.device, it.metric, 20, &it.client, &it.error), FR_OK);
  // The collector's period is far from the device's clock.
  EXPECT_EQ(fr_client_observe(it.client, 30, 1, &it.error), FR_NOT_STARTED);
  EXPECT_EQ(fr_client_begin_period(it.client, 2, &it.error), FR_NOT_STARTED);
  EXPECT_EQ(fr_client_observe(it.client, 21, 1, &it.error), FR_OK);
  char* text = nullptr;
  EXPECT_EQ(fr_client_path(it.client, "what\n", 5, &text, &it.error), FR_INVALID);
  EXPECT_EQ(fr_client_path(it.client, nullptr, 0, &text, &it.error), FR_INVALID);
  EXPECT_EQ(fr_client_path(nullptr, "x", 1, &text, &it.error), FR_INVALID);
}

}  // namespace
}  // namespace futurerand
