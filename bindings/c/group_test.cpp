// A group of metrics through the C interface: the golden vectors of groups, and the same calls for
// the metrics that were not drawn.
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bindings/c/test/handles_under_test.hpp"

namespace futurerand {
namespace {

using test::accepted;
using test::Handles;
using test::Records;
using test::Tape;
using test::text_of;
using Json = nlohmann::ordered_json;

std::vector<Json> group_vectors() {
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/group_vectors.jsonl");
  std::vector<Json> vectors;
  for (std::string line; std::getline(file, line);) vectors.push_back(Json::parse(line));
  EXPECT_EQ(vectors.size(), 3U);
  return vectors;
}

// One device, and a client of each metric.
struct Application {
  Records records;
  Tape tape;
  fr_error error{};
  fr_device* device = nullptr;
  std::map<std::string, fr_client*> clients;

  explicit Application(const Json& vector)
      : tape{*bytes_of_hex(vector["entropy"].get<std::string>())} {
    const fr_store store = records.store();
    const fr_entropy entropy = tape.entropy();
    EXPECT_EQ(fr_device_open(&store, "16", nullptr, &entropy, &device, &error), FR_OK);
    open(vector);
  }
  ~Application() {
    for (auto& [name, client] : clients) fr_client_close(&client);
    fr_device_close(&device);
  }
  void open(const Json& vector) {
    for (const Json& document : vector["metrics"]) {
      const std::string json = document.dump();
      fr_metric* metric = nullptr;
      ASSERT_EQ(fr_metric_accept(json.data(), json.size(), &metric, &error), FR_OK);
      fr_client*& client = clients[document["name"]];
      EXPECT_EQ(fr_client_open(device, metric, 1, &client, &error), FR_OK) << error.message;
      fr_metric_close(&metric);
    }
  }
  std::string lines(fr_client* client) {
    char* text = nullptr;
    EXPECT_EQ(fr_client_lines(client, &text, &error), FR_OK) << error.message;
    return text_of(text);
  }
  Json about(fr_client* client) {
    char* text = nullptr;
    EXPECT_EQ(fr_client_about(client, &text, &error), FR_OK) << error.message;
    return Json::parse(text_of(text));
  }
  Json ledger() {
    char* text = nullptr;
    EXPECT_EQ(fr_device_ledger(device, &text, &error), FR_OK);
    return Json::parse(text_of(text));
  }
};

TEST(Groups, VectorsGiveTheirLinesExactly) {
  for (const Json& vector : group_vectors()) {
    Application it(vector);
    for (const Json& step : vector["steps"]) {
      for (auto& [name, client] : it.clients) {
        const int value = step["values"][name];
        ASSERT_EQ(fr_client_observe(client, step["period"], value, &it.error), FR_OK);
        std::string expected;
        for (const Json& line : step["lines"][name]) expected += line.get<std::string>() + "\n";
        const std::string lines = it.lines(client);
        ASSERT_EQ(lines, expected) << name << " " << step["period"];
        if (lines.empty()) continue;
        const std::string answer = accepted(lines);
        ASSERT_EQ(fr_client_acknowledge(client, lines.data(), lines.size(), answer.data(),
                                        answer.size(), &it.error),
                  FR_OK);
      }
    }
    EXPECT_EQ(it.tape.used, it.tape.bytes.size());
    const Json ledger = it.ledger();
    const std::string drawn = vector["drawn"];
    EXPECT_EQ(ledger["groups"].dump(), R"([{"group":"settings","metric":")" + drawn + "\"}]");
    ASSERT_EQ(ledger["metrics"].size(), 1U);
    EXPECT_EQ(ledger["metrics"][0]["metric"], drawn);
    EXPECT_EQ(ledger["spent"], ledger["metrics"][0]["epsilon"]);
  }
}

TEST(Groups, AMetricThatWasNotDrawnAcceptsEveryCall) {
  for (const Json& vector : group_vectors()) {
    Application it(vector);
    const auto saved = it.records.saved;
    for (auto& [name, client] : it.clients) {
      if (name == vector["drawn"]) continue;
      EXPECT_EQ(fr_client_observe(client, 2, 1, &it.error), FR_OK);
      EXPECT_EQ(fr_client_observe(client, 3, 2, &it.error), FR_INVALID);
      EXPECT_EQ(fr_client_observe(client, 1, 1, &it.error), FR_INVALID);
      EXPECT_EQ(fr_client_observe_number(client, 4, 0.5, &it.error), FR_INVALID);
      const std::uint32_t periods[] = {5, 6};
      const std::uint8_t values[] = {0, 1};
      EXPECT_EQ(fr_client_observe_all(client, periods, values, 2, &it.error), FR_OK);
      EXPECT_EQ(fr_client_begin_period(client, 7, &it.error), FR_OK);
      EXPECT_EQ(it.lines(client), "");
      const Json about = it.about(client);
      EXPECT_EQ(about["metric"], name);
      EXPECT_FALSE(about["drawn"]);
      EXPECT_FALSE(about["closed"]);
      EXPECT_FALSE(about["left"]);
      EXPECT_TRUE(about["client"].is_null());
      EXPECT_TRUE(about["view"].is_null());
      EXPECT_EQ(about["period"], 6);
      EXPECT_EQ(fr_client_leave(client, 7, &it.error), FR_OK);
      EXPECT_EQ(fr_client_forget(client, 8, &it.error), FR_OK);
      EXPECT_EQ(it.lines(client), "");
    }
    EXPECT_EQ(it.records.saved, saved);
    EXPECT_TRUE(it.about(it.clients[vector["drawn"]])["drawn"]);
    // The decision of the user stands before every draw, and a draw that was made stays.
    ASSERT_EQ(fr_device_set_participation(it.device, "off", &it.error), FR_OK);
    for (auto& [name, client] : it.clients) fr_client_close(&client);
    it.open(vector);
    EXPECT_EQ(it.ledger()["groups"].size(), 1U);
  }
}

TEST(Groups, NothingIsDrawnBeforeTheUserAgrees) {
  const Json vector = group_vectors()[0];
  Records records;
  Handles it;
  const fr_store store = records.store();
  Tape tape{*bytes_of_hex(vector["entropy"].get<std::string>())};
  const fr_entropy entropy = tape.entropy();
  ASSERT_EQ(fr_device_open(&store, "16", nullptr, &entropy, &it.device, &it.error), FR_OK);
  ASSERT_EQ(fr_device_ask_first(it.device, &it.error), FR_OK);
  const std::string json = vector["metrics"][0].dump();
  ASSERT_EQ(fr_metric_accept(json.data(), json.size(), &it.metric, &it.error), FR_OK);
  EXPECT_EQ(fr_client_open(it.device, it.metric, 1, &it.client, &it.error), FR_NOT_STARTED);
  EXPECT_EQ(tape.used, 0U);
  EXPECT_FALSE(records.saved.contains("ledger"));
}

}  // namespace
}  // namespace futurerand
