// The C interface as a program in C meets it: the golden vectors, then what goes wrong.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bindings/c/test/handles_under_test.hpp"

namespace futurerand {
namespace {

using test::accepted;
using test::all_vectors;
using test::Handles;
using test::joined;
using test::Records;
using test::Tape;
using test::text_of;

TEST(Abi, VectorsGiveTheirLinesExactly) {
  for (const ClientVector& vector : all_vectors()) {
    SCOPED_TRACE(vector.metric);
    Records records;
    Tape tape{vector.entropy};
    Handles life;
    ASSERT_EQ(life.open(vector, records, tape), FR_OK) << life.error.message;
    EXPECT_EQ(tape.used, tape.bytes.size());
    char* certificate = nullptr;
    ASSERT_EQ(fr_metric_certificate(life.metric, &certificate, nullptr), FR_OK);
    const nlohmann::json document = nlohmann::json::parse(text_of(certificate));
    EXPECT_EQ(document["digest"], vector.digest);
    EXPECT_TRUE(document["certified"]);
    const auto expect_lines = [&](const auto& step) {
      const std::string lines = life.lines();
      EXPECT_EQ(lines, joined(step.lines));
      if (!step.acknowledged || lines.empty()) return;
      EXPECT_EQ(life.acknowledge(lines, accepted(lines)), FR_OK) << life.error.message;
    };
    for (const VectorStep& step : vector.steps) {
      ASSERT_EQ(life.observe(step.period, step.value), FR_OK) << life.error.message;
      expect_lines(step);
    }
    for (const DepartureStep& step : vector.departure) {
      ASSERT_EQ(life.depart(step.call, step.period), FR_OK) << life.error.message;
      expect_lines(step);
    }
  }
}

TEST(Abi, ClosedAndMissingHandlesAreErrors) {
  fr_device* device = nullptr;
  fr_metric* metric = nullptr;
  fr_client* client = nullptr;
  fr_error error{};
  char* text = nullptr;
  std::uint32_t period = 0;
  EXPECT_EQ(fr_client_observe(client, 1, 1, &error), FR_INVALID);
  EXPECT_STREQ(error.message, "the client is closed; expected an open one");
  EXPECT_EQ(fr_client_observe(client, 1, 1, nullptr), FR_INVALID);
  EXPECT_EQ(fr_client_observe_number(client, 1, 0.5, &error), FR_INVALID);
  EXPECT_STREQ(error.message, "the client is closed; expected an open one");
  EXPECT_EQ(fr_client_observe_text(client, 1, "x", 1, &error), FR_INVALID);
  EXPECT_EQ(fr_client_lines(client, &text, &error), FR_INVALID);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(fr_client_lines(client, nullptr, &error), FR_INVALID);
  EXPECT_EQ(fr_client_acknowledge(client, "x\n", 2, nullptr, 0, &error), FR_INVALID);
  EXPECT_EQ(fr_client_begin_period(client, 1, &error), FR_INVALID);
  EXPECT_EQ(fr_client_about(client, &text, &error), FR_INVALID);
  EXPECT_EQ(fr_client_open(device, metric, 1, &client, &error), FR_INVALID);
  EXPECT_EQ(fr_client_open(device, metric, 1, nullptr, &error), FR_INVALID);
  EXPECT_EQ(fr_device_ledger(device, &text, &error), FR_INVALID);
  EXPECT_EQ(fr_metric_certificate(metric, &text, &error), FR_INVALID);
  EXPECT_EQ(fr_metric_period_at(metric, 0, &period, &error), FR_INVALID);
  EXPECT_EQ(fr_metric_period_at(metric, 0, nullptr, &error), FR_INVALID);
  EXPECT_EQ(fr_metric_current_period(metric, &period, &error), FR_INVALID);
  fr_client_close(&client);
  fr_client_close(nullptr);
  fr_metric_close(&metric);
  fr_device_close(&device);
  fr_free(nullptr);
}

// Closing a handle makes it null; what is still open beside it goes on.
TEST(Abi, WhatWasClosedStaysClosedAndSendsNothing) {
  const ClientVector vector = all_vectors().front();
  Records records;
  Tape tape{vector.entropy};
  Handles life;
  ASSERT_EQ(life.open(vector, records, tape), FR_OK);
  ASSERT_EQ(fr_client_observe(life.client, 3, 1, &life.error), FR_OK);
  fr_device_close(&life.device);
  fr_metric_close(&life.metric);
  EXPECT_EQ(life.device, nullptr);
  EXPECT_EQ(life.metric, nullptr);
  EXPECT_EQ(fr_client_observe(life.client, 4, 1, &life.error), FR_OK);  // it keeps its device
  const auto before = records.saved;
  fr_client_close(&life.client);
  ASSERT_EQ(life.client, nullptr);
  char* text = nullptr;
  const std::uint32_t period = 5;
  const std::uint8_t value = 1;
  EXPECT_EQ(fr_client_observe(life.client, period, value, &life.error), FR_INVALID);
  EXPECT_EQ(fr_client_observe_all(life.client, &period, &value, 1, &life.error), FR_INVALID);
  EXPECT_EQ(fr_client_lines(life.client, &text, &life.error), FR_INVALID);
  EXPECT_EQ(life.acknowledge("x\n"), FR_INVALID);
  EXPECT_EQ(fr_device_ledger(life.device, &text, &life.error), FR_INVALID);
  EXPECT_EQ(fr_metric_certificate(life.metric, &text, &life.error), FR_INVALID);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(records.saved, before);
}

TEST(Abi, EachCodeHasOneAction) {
  const std::pair<fr_code, fr_action> table[] = {
      {FR_OK, FR_NOTHING},
      {FR_INVALID, FR_FIX_CALL},
      {FR_NOT_FOUND, FR_TELL_OPERATOR},
      {FR_UNAUTHORIZED, FR_TELL_OPERATOR},
      {FR_UNTRUSTED, FR_TELL_OPERATOR},
      {FR_REFUSED, FR_GIVE_UP},
      {FR_DAMAGED, FR_GIVE_UP},
      {FR_NO_ENTROPY, FR_RETRY_LATER},
      {FR_NO_ROOM, FR_RETRY_LATER},
      {FR_BUSY, FR_RETRY_LATER},
      {FR_UNREACHABLE, FR_RETRY_LATER},
      {FR_NO_MEMORY, FR_RETRY_LATER},
      {FR_NOT_STARTED, FR_RETRY_LATER},
  };
  for (const auto& [code, action] : table) EXPECT_EQ(fr_action_of(code), action) << code;
}

TEST(Abi, WhatIsNoStoreEntropyCeilingOrPlanIsRefused) {
  Records records;
  fr_store store = records.store();
  fr_device* device = nullptr;
  fr_error error{};
  for (const char* ceiling : {"", "-1", "nan", "1e3", "0.0000000001", "17"}) {
    EXPECT_EQ(fr_device_open(&store, ceiling, nullptr, nullptr, &device, &error), FR_INVALID);
    EXPECT_EQ(device, nullptr);
  }
  EXPECT_EQ(fr_device_open(&store, nullptr, nullptr, nullptr, &device, &error), FR_INVALID);
  EXPECT_EQ(fr_device_open(&store, "1", "x", nullptr, &device, &error), FR_INVALID);
  EXPECT_EQ(fr_device_open(nullptr, "1", nullptr, nullptr, &device, &error), FR_INVALID);
  const fr_entropy none{nullptr, nullptr};
  EXPECT_EQ(fr_device_open(&store, "1", nullptr, &none, &device, &error), FR_INVALID);
  store.save = nullptr;
  EXPECT_EQ(fr_device_open(&store, "1", nullptr, nullptr, &device, &error), FR_INVALID);
  EXPECT_EQ(fr_device_open_folder("", "1", nullptr, nullptr, &device, &error), FR_INVALID);
  EXPECT_EQ(fr_device_open_folder(nullptr, "1", nullptr, nullptr, &device, &error), FR_INVALID);
  EXPECT_TRUE(records.saved.empty());

  fr_metric* metric = nullptr;
  char* text = nullptr;
  for (const std::string json : {"", "{}", "[1", "null"}) {
    EXPECT_EQ(fr_metric_accept(json.data(), json.size(), &metric, &error), FR_INVALID) << json;
    EXPECT_EQ(fr_metric_create("m", json.data(), json.size(), 0, 0, &metric, &error), FR_INVALID);
    EXPECT_EQ(fr_certify(json.data(), json.size(), &text, &error), FR_INVALID);
  }
  EXPECT_EQ(fr_metric_accept(nullptr, 0, &metric, &error), FR_INVALID);
  EXPECT_EQ(fr_certify(nullptr, 0, &text, &error), FR_INVALID);
  const ClientVector vector = all_vectors().front();
  const std::string long_name(4000, 'm');
  EXPECT_EQ(fr_metric_create(long_name.c_str(), vector.plan.data(), vector.plan.size(), 0, 0,
                             &metric, &error),
            FR_INVALID);
  EXPECT_EQ(
      fr_metric_create(nullptr, vector.plan.data(), vector.plan.size(), 0, 0, &metric, &error),
      FR_INVALID);
}

// A plan that says epsilon 1 with the integers of epsilon 4.
TEST(Abi, APlanThatLiesIsRefusedAndCertifyShowsIt) {
  for (const ClientVector& vector : all_vectors()) {
    nlohmann::json plan = nlohmann::json::parse(vector.plan);
    if (plan["epsilon"] == "0.1") continue;
    plan["epsilon"] = "0.1";
    const std::string lie = plan.dump();
    fr_metric* metric = nullptr;
    fr_error error{};
    char* text = nullptr;
    if (fr_certify(lie.data(), lie.size(), &text, &error) == FR_INVALID) continue;
    EXPECT_EQ(nlohmann::json::parse(text_of(text))["certified"], false) << vector.metric;
    EXPECT_EQ(fr_metric_create("m", lie.data(), lie.size(), 0, 0, &metric, &error), FR_REFUSED);
    EXPECT_EQ(metric, nullptr);
  }
}

TEST(Abi, ValuesAndPeriodsOutOfRangeChangeNothing) {
  const ClientVector vector = all_vectors().front();
  Records records;
  Tape tape{vector.entropy};
  Handles life;
  ASSERT_EQ(life.open(vector, records, tape), FR_OK);
  ASSERT_EQ(fr_client_observe(life.client, 3, 1, &life.error), FR_OK);
  const auto before = records.saved;
  for (const int value : {-1, 2, 1 << 30}) {
    EXPECT_EQ(fr_client_observe(life.client, 4, value, &life.error), FR_INVALID);
  }
  EXPECT_EQ(fr_client_observe(life.client, 0, 1, &life.error), FR_INVALID);
  EXPECT_EQ(fr_client_observe(life.client, 2, 1, &life.error), FR_INVALID);
  EXPECT_EQ(records.saved, before);
  // A huge period is past the horizon: the metric closes, with the value that was held.
  EXPECT_EQ(fr_client_observe(life.client, 0xffffffff, 0, &life.error), FR_OK);
  char* about = nullptr;
  ASSERT_EQ(fr_client_about(life.client, &about, nullptr), FR_OK);
  EXPECT_EQ(nlohmann::json::parse(text_of(about))["closed"], true);
}

TEST(Abi, ManyAtOnceAreOneByOneAndAllOrNone) {
  const ClientVector vector = all_vectors().front();
  Records records, same_records;
  Tape tape{vector.entropy}, same_tape{vector.entropy};
  Handles life, same;
  ASSERT_EQ(life.open(vector, records, tape), FR_OK);
  ASSERT_EQ(same.open(vector, same_records, same_tape), FR_OK);
  const std::uint32_t periods[] = {2, 3, 7, 9};
  const std::uint8_t values[] = {0, 1, 1, 0};
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(fr_client_observe(same.client, periods[i], values[i], &same.error), FR_OK);
  }
  const auto before = records.saved;
  const std::uint8_t wrong[] = {0, 1, 2, 0};
  EXPECT_EQ(fr_client_observe_all(life.client, periods, wrong, 4, &life.error), FR_INVALID);
  EXPECT_EQ(fr_client_observe_all(life.client, nullptr, values, 4, &life.error), FR_INVALID);
  EXPECT_EQ(fr_client_observe_all(life.client, periods, nullptr, 4, &life.error), FR_INVALID);
  EXPECT_EQ(fr_client_observe_all(nullptr, periods, values, 4, &life.error), FR_INVALID);
  const std::uint32_t back[] = {3, 2, 7, 9};
  EXPECT_EQ(fr_client_observe_all(life.client, back, values, 4, &life.error), FR_INVALID);
  EXPECT_EQ(records.saved, before);
  EXPECT_EQ(fr_client_observe_all(life.client, nullptr, nullptr, 0, &life.error), FR_OK);
  ASSERT_EQ(fr_client_observe_all(life.client, periods, values, 4, &life.error), FR_OK);
  EXPECT_EQ(life.lines(), same.lines());
}

TEST(Abi, AStoreThatFailsLosesNothing) {
  const ClientVector vector = all_vectors().front();
  Records records;
  Tape tape{vector.entropy};
  Handles life;
  ASSERT_EQ(life.open(vector, records, tape), FR_OK);
  ASSERT_EQ(fr_client_observe(life.client, 2, 1, nullptr), FR_OK);
  const std::string lines = life.lines();
  records.save_code = FR_NO_ROOM;
  EXPECT_EQ(fr_client_observe(life.client, 3, 0, &life.error), FR_NO_ROOM);
  EXPECT_EQ(life.acknowledge(lines), FR_NO_ROOM);
  records.save_code = FR_OK;
  records.load_code = FR_DAMAGED;
  EXPECT_EQ(fr_client_observe(life.client, 3, 0, &life.error), FR_DAMAGED);
  records.load_code = FR_OK;
  EXPECT_EQ(fr_client_observe(life.client, 2, 0, nullptr), FR_OK);
  // What was begun may be sent; nothing of period 3 was randomized.
  EXPECT_EQ(life.lines().substr(0, lines.size() - 3), lines.substr(0, lines.size() - 3));

  Handles second;
  Tape more{vector.entropy};
  records.load_code = FR_UNREACHABLE;
  EXPECT_EQ(second.open(vector, records, more), FR_UNREACHABLE);
}

TEST(Abi, EntropyThatFailsJoinsNothing) {
  ClientVector vector = all_vectors().front();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, vector.entropy.size() - 8}) {
    Records records;
    Tape tape{{vector.entropy.begin(), vector.entropy.begin() + static_cast<long>(bytes)}};
    Handles life;
    EXPECT_EQ(life.open(vector, records, tape), FR_NO_ENTROPY);
    EXPECT_EQ(life.client, nullptr);
    EXPECT_TRUE(records.saved.empty());
  }
}

TEST(Abi, OneClientAtATimeAndTheLedgerCounts) {
  const ClientVector vector = all_vectors().front();
  Records records;
  Tape tape{vector.entropy};
  Handles life;
  ASSERT_EQ(life.open(vector, records, tape), FR_OK);
  fr_client* second = nullptr;
  EXPECT_EQ(fr_client_open(life.device, life.metric, 1, &second, &life.error), FR_BUSY);
  EXPECT_EQ(second, nullptr);
  char* ledger = nullptr;
  ASSERT_EQ(fr_device_ledger(life.device, &ledger, nullptr), FR_OK);
  const nlohmann::json document = nlohmann::json::parse(text_of(ledger));
  EXPECT_EQ(document["spent"], nlohmann::json::parse(vector.plan)["epsilon"]);
  EXPECT_EQ(document["metrics"][0]["metric"], vector.metric);

  // The same again under a ceiling that it passes.
  const fr_store store = records.store();
  fr_device* poor = nullptr;
  ASSERT_EQ(fr_device_open(&store, "0.1", nullptr, nullptr, &poor, &life.error), FR_OK);
  fr_metric* other = nullptr;
  ASSERT_EQ(
      fr_metric_create("other", vector.plan.data(), vector.plan.size(), 0, 0, &other, &life.error),
      FR_OK);
  EXPECT_EQ(fr_client_open(poor, other, 1, &second, &life.error), FR_REFUSED);
  fr_device_close(&poor);
  fr_metric_close(&other);
}

TEST(Abi, AnswersThatAreNoneAcknowledgeNothing) {
  const ClientVector vector = all_vectors().front();
  Records records;
  Tape tape{vector.entropy};
  Handles life;
  ASSERT_EQ(life.open(vector, records, tape), FR_OK);
  ASSERT_EQ(fr_client_observe(life.client, 3, 1, nullptr), FR_OK);
  const std::string lines = life.lines();
  for (const std::string answer : {"", "{}", "<html>", "{\"accepted\":-1}"}) {
    EXPECT_EQ(life.acknowledge(lines, answer), FR_INVALID) << answer;
  }
  // It is an answer, to other lines than these.
  EXPECT_EQ(life.acknowledge(lines, accepted("one\n")), FR_INVALID);
  EXPECT_EQ(life.acknowledge(lines, accepted("one\ntwo\nthree\n")), FR_INVALID);
  const std::string refusal = R"({"accepted":1,"duplicates":0,"rejected":1,"early":0,)"
                              R"("errors":[{"line":1,"reason":"unknown_view"}]})";
  EXPECT_EQ(life.acknowledge(lines, refusal), FR_REFUSED) << life.error.message;
  EXPECT_EQ(life.lines(), lines);
}

}  // namespace
}  // namespace futurerand
