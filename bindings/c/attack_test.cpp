// Misuse of the C interface by a program: late answers, callbacks that call back, entropy with
// failure codes of its own. An index never goes out with two signs, and none is lost.
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "bindings/c/test/handles_under_test.hpp"

namespace futurerand {
namespace {

using test::accepted;
using test::all_vectors;
using test::Handles;
using test::Records;
using test::Tape;
using test::text_of;

// A device of this one sends a sign at every period.
ClientVector every_period() {
  for (const ClientVector& vector : all_vectors()) {
    if (vector.metric.starts_with("innovation") && vector.joined == 1) return vector;
  }
  ADD_FAILURE() << "no such vector";
  return {};
}

class Attack : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(of.open(vector, records, tape), FR_OK) << of.error.message; }
  std::string observed(std::uint32_t period, int value) {
    EXPECT_EQ(fr_client_observe(of.client, period, value, &of.error), FR_OK) << of.error.message;
    return of.lines();
  }

  const ClientVector vector = every_period();
  Records records;
  Tape tape{vector.entropy};
  Handles of;
};

using OverlappingSends = Attack;

// The first send is answered late, after a second one was given more lines and failed.
TEST_F(OverlappingSends, ALateAnswerCountsForItsOwnLinesOnly) {
  const std::string first = observed(3, 1);
  const std::string second = observed(6, 0);
  ASSERT_NE(first, second);
  ASSERT_EQ(of.acknowledge(first, accepted(first)), FR_OK) << of.error.message;
  // What only the second send had is still there.
  const std::string left = of.lines();
  EXPECT_EQ(left.find("view"), left.npos);
  EXPECT_NE(left.find(R"("index":3,"signs":")"), left.npos) << left;
  EXPECT_EQ(left.size() - left.rfind("\"signs\":\""), std::string("\"signs\":\"abc\"}\n").size());
  // The second answer, which comes after all, counts for the rest. Both again do no harm.
  EXPECT_EQ(of.acknowledge(second, accepted(second)), FR_OK) << of.error.message;
  EXPECT_EQ(of.lines(), "");
  EXPECT_EQ(of.acknowledge(first, accepted(first)), FR_OK);
  EXPECT_EQ(of.acknowledge(second), FR_OK);
}

TEST_F(OverlappingSends, AnAnswerOutOfOrderLosesNothing) {
  const std::string first = observed(3, 1);
  const std::string second = observed(6, 0);
  const std::string third = observed(9, 1);
  ASSERT_EQ(of.acknowledge(second, accepted(second)), FR_OK);
  const std::string left = of.lines();
  ASSERT_EQ(of.acknowledge(first, accepted(first)), FR_OK);
  EXPECT_EQ(of.lines(), left);
  EXPECT_NE(left.find(R"("index":6,)"), left.npos) << left;
}

TEST_F(OverlappingSends, LinesThatThisClientDidNotGiveAreRefused) {
  const std::string lines = observed(6, 1);
  const std::string enrolment = lines.substr(0, lines.find('\n') + 1);
  const std::string report = lines.substr(enrolment.size());
  std::string flipped = lines;
  for (char& c : flipped) c = c == '+' ? '-' : c == '-' ? '+' : c;
  std::string longer = lines;
  longer.insert(longer.rfind('"'), "+");
  std::string elsewhere = lines;
  elsewhere.replace(elsewhere.find("\"index\":1,") + 8, 1, "2");
  std::string other = lines;
  for (std::size_t at = 0; (at = other.find("client\":\"", at)) != other.npos; ++at) {
    other[at + 9] = other[at + 9] == '0' ? '1' : '0';
  }
  for (const std::string& wrong :
       {std::string(), std::string("\n"), std::string("x\n"), lines.substr(0, lines.size() - 1),
        report, report + enrolment, enrolment + enrolment, lines + report, flipped, longer,
        elsewhere, other, std::string("{}\n")}) {
    EXPECT_EQ(of.acknowledge(wrong, accepted(wrong)), FR_INVALID) << wrong;
    EXPECT_EQ(of.acknowledge(wrong), FR_INVALID) << wrong;
  }
  EXPECT_EQ(fr_client_acknowledge(of.client, nullptr, 0, nullptr, 0, &of.error), FR_INVALID);
  EXPECT_EQ(of.lines(), lines);
  // A part of them may have been sent.
  EXPECT_EQ(of.acknowledge(enrolment), FR_OK);
  EXPECT_EQ(of.lines(), report);
}

// Lines of the running period are not given yet, although their signs are drawn.
TEST_F(OverlappingSends, NothingIsAcknowledgedThatWasNotGiven) {
  const std::string given = observed(6, 1);
  Handles again;
  Tape unused{};
  Records copy = records;
  ASSERT_EQ(again.open(vector, copy, unused), FR_OK);
  ASSERT_EQ(fr_client_begin_period(again.client, 7, nullptr), FR_OK);
  const std::string later = again.lines();
  ASSERT_NE(later, given);
  EXPECT_EQ(of.acknowledge(later), FR_INVALID);
  EXPECT_EQ(of.lines(), given);
}

// An older backup of the collector was restored: what it had acknowledged is due again, as it was.
TEST_F(OverlappingSends, WhatTheCollectorLostIsDueAgain) {
  const std::string first = observed(3, 1);
  ASSERT_EQ(of.acknowledge(first, accepted(first)), FR_OK);
  ASSERT_EQ(of.lines(), "");
  const std::string second = observed(6, 0);
  const auto lost = [](const std::string& reason) {
    return R"({"accepted":0,"duplicates":0,"rejected":1,"early":0,"errors":[{"line":1,)" + reason +
           "}]}";
  };
  ASSERT_EQ(of.acknowledge(second, lost(R"("reason":"gap","expected":2)")), FR_OK)
      << of.error.message;
  const std::string from_two = of.lines();
  EXPECT_EQ(from_two.find("view"), from_two.npos);
  EXPECT_NE(from_two.find(R"("index":2,)"), from_two.npos) << from_two;
  ASSERT_EQ(of.acknowledge(from_two, lost(R"("reason":"unknown_client")")), FR_OK)
      << of.error.message;
  const std::string all = of.lines();
  EXPECT_TRUE(all.starts_with(first.substr(0, first.rfind('"')))) << all;
  ASSERT_EQ(of.acknowledge(all, accepted(all)), FR_OK);
  EXPECT_EQ(of.lines(), "");
}

// A store whose save() does something else first.
struct CallingBack {
  Records records;
  std::function<void()> during_save = {};

  fr_store store() {
    fr_store calling = records.store();
    calling.context = this;
    calling.load = [](void* context, const char* record, const std::uint8_t** bytes,
                      std::size_t* size) {
      Records& own = static_cast<CallingBack*>(context)->records;
      return own.store().load(&own, record, bytes, size);
    };
    calling.names = [](void* context, void (*each)(void*, const char*), void* list) {
      Records& own = static_cast<CallingBack*>(context)->records;
      return own.store().names(&own, each, list);
    };
    calling.save = [](void* context, const char* record, const std::uint8_t* bytes,
                      std::size_t size) {
      auto& self = *static_cast<CallingBack*>(context);
      if (self.during_save) std::exchange(self.during_save, {})();
      return self.records.store().save(&self.records, record, bytes, size);
    };
    return calling;
  }
};

class Reentrant : public ::testing::Test {
 protected:
  void SetUp() override {
    const fr_store store = calling.store();
    const fr_entropy entropy = tape.entropy();
    ASSERT_EQ(fr_device_open(&store, "16", nullptr, &entropy, &of.device, &of.error), FR_OK);
    ASSERT_EQ(
        fr_metric_create("m", vector.plan.data(), vector.plan.size(), 0, 0, &of.metric, &of.error),
        FR_OK);
    ASSERT_EQ(fr_client_open(of.device, of.metric, 1, &of.client, &of.error), FR_OK);
  }

  const ClientVector vector = every_period();
  CallingBack calling;
  Tape tape{vector.entropy};
  Handles of;
};

TEST_F(Reentrant, ACallbackCannotUseItsOwnDevice) {
  int refused = 0;
  const std::uint32_t period = 5;
  const std::uint8_t value = 0;
  fr_error error{};
  char* text = nullptr;
  fr_client* second = nullptr;
  calling.during_save = [&] {
    refused += fr_client_observe(of.client, period, value, &error) == FR_INVALID;
    refused += std::string(error.message).find("from a callback") != std::string::npos;
    refused += fr_client_observe_number(of.client, period, 0.5, &error) == FR_INVALID;
    refused += std::string(error.message).find("from a callback") != std::string::npos;
    refused += fr_client_observe_text(of.client, period, "x", 1, &error) == FR_INVALID;
    refused += std::string(error.message).find("from a callback") != std::string::npos;
    refused += fr_client_observe_all(of.client, &period, &value, 1, &error) == FR_INVALID;
    refused += fr_client_begin_period(of.client, period, &error) == FR_INVALID;
    refused += fr_client_lines(of.client, &text, &error) == FR_INVALID;
    refused += fr_client_acknowledge(of.client, "x\n", 2, nullptr, 0, &error) == FR_INVALID;
    refused += fr_client_about(of.client, &text, &error) == FR_INVALID;
    refused += fr_device_ledger(of.device, &text, &error) == FR_INVALID;
    refused += fr_client_open(of.device, of.metric, 1, &second, &error) == FR_INVALID;
  };
  ASSERT_EQ(fr_client_observe(of.client, 3, 1, &of.error), FR_OK);
  EXPECT_EQ(refused, 13);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(second, nullptr);
  // It did nothing else, and another device may be used in a callback.
  char* about = nullptr;
  ASSERT_EQ(fr_client_about(of.client, &about, nullptr), FR_OK);
  EXPECT_NE(text_of(about).find("\"period\":3,"), std::string::npos);
  Records other_records;
  Tape other_tape{vector.entropy};
  Handles other;
  calling.during_save = [&] {
    EXPECT_EQ(other.open(vector, other_records, other_tape), FR_OK);
    EXPECT_EQ(fr_client_observe(other.client, 3, 1, nullptr), FR_OK);
  };
  EXPECT_EQ(fr_client_observe(of.client, 4, 1, &of.error), FR_OK);
}

// The value from the callback would have gone out beside the caller's value.
TEST_F(Reentrant, NoIndexIsSentTwice) {
  std::map<std::string, std::string> sent;  // by index
  const auto note = [&] {
    const std::string lines = of.lines();
    const std::size_t at = lines.find("\"index\":");
    if (at == lines.npos) return;
    auto index = static_cast<std::uint32_t>(std::stoul(lines.substr(at + 8)));
    const std::size_t first = lines.find("signs\":\"", at) + 8;
    for (const char sign : lines.substr(first, lines.find('"', first) - first)) {
      const auto [place, added] = sent.try_emplace(std::to_string(index++), 1, sign);
      EXPECT_EQ(place->second, std::string(1, sign)) << place->first;
    }
  };
  for (std::uint32_t period = 2; period <= 24; ++period) {
    calling.during_save = [&] {
      fr_client_observe(of.client, period, 0, nullptr);
      char* text = nullptr;
      fr_client_lines(of.client, &text, nullptr);
      EXPECT_EQ(text, nullptr);
    };
    ASSERT_EQ(fr_client_observe(of.client, period, 1, &of.error), FR_OK);
    note();
  }
  EXPECT_GE(sent.size(), 22U);
}

TEST_F(Reentrant, HandlesThatACallbackClosesStayUntilTheCallEnds) {
  calling.during_save = [&] {
    fr_client* client = std::exchange(of.client, nullptr);
    fr_client_close(&client);
    EXPECT_EQ(client, nullptr);
    fr_device_close(&of.device);
  };
  fr_client* const client = of.client;
  EXPECT_EQ(fr_client_observe(client, 3, 1, &of.error), FR_OK);
  // What it saw was saved: another device goes on from there.
  const fr_store store = calling.records.store();
  ASSERT_EQ(fr_device_open(&store, "16", nullptr, nullptr, &of.device, &of.error), FR_OK);
  ASSERT_EQ(fr_client_open(of.device, of.metric, 1, &of.client, &of.error), FR_OK);
  char* about = nullptr;
  ASSERT_EQ(fr_client_about(of.client, &about, nullptr), FR_OK);
  EXPECT_NE(text_of(about).find("\"period\":3,"), std::string::npos);
}

TEST_F(Reentrant, ADeviceThatACallbackOfJoiningClosesStaysUntilTheCallEnds) {
  fr_metric* other = nullptr;
  ASSERT_EQ(
      fr_metric_create("other", vector.plan.data(), vector.plan.size(), 0, 0, &other, &of.error),
      FR_OK);
  tape.used = 0;
  calling.during_save = [&] { fr_device_close(&of.device); };
  fr_client* second = nullptr;
  EXPECT_EQ(fr_client_open(of.device, other, 1, &second, &of.error), FR_OK) << of.error.message;
  EXPECT_EQ(fr_client_observe(second, 2, 1, &of.error), FR_OK);
  fr_client_close(&second);
  fr_metric_close(&other);
}

// Whatever an entropy callback returns but FR_OK is a failure, of which nothing is used.
TEST(EntropyOfC, AnyOtherCodeIsAFailure) {
  const ClientVector vector = every_period();
  for (const int code : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 0x7fffffff, -1}) {
    Records records;
    struct Failing {
      Tape tape;
      int code;
      int calls = 0;
    } failing{{vector.entropy}, code};
    const fr_store store = records.store();
    const fr_entropy entropy{&failing, [](void* context, std::uint8_t* out, std::size_t size) {
                               auto& self = *static_cast<Failing*>(context);
                               const fr_entropy good = self.tape.entropy();
                               const fr_code filled = good.fill(good.context, out, size);
                               return ++self.calls == 7 ? static_cast<fr_code>(self.code) : filled;
                             }};
    Handles of;
    ASSERT_EQ(fr_device_open(&store, "16", nullptr, &entropy, &of.device, &of.error), FR_OK);
    ASSERT_EQ(
        fr_metric_create("m", vector.plan.data(), vector.plan.size(), 0, 0, &of.metric, &of.error),
        FR_OK);
    EXPECT_EQ(fr_client_open(of.device, of.metric, 1, &of.client, &of.error), FR_NO_ENTROPY)
        << code;
    EXPECT_TRUE(records.saved.empty());
  }
}

// It says FR_OK, and left the bytes as they were, or gives the same again and again: nobody joins,
// and nobody tries for ever.
TEST(EntropyOfC, BytesThatAreNotFilledOrRepeatedAreNone) {
  std::set<std::string> protocols;
  for (const ClientVector& vector : all_vectors()) {
    if (!protocols.insert(vector.metric.substr(0, vector.metric.rfind('-'))).second) continue;
    for (int byte : {-1, 0, 0x42, 0xff}) {
      Records records;
      const fr_store store = records.store();
      const fr_entropy entropy{&byte, [](void* context, std::uint8_t* out, std::size_t size) {
                                 const int with = *static_cast<int*>(context);
                                 if (with >= 0) std::memset(out, with, size);
                                 return FR_OK;
                               }};
      Handles of;
      ASSERT_EQ(fr_device_open(&store, "16", nullptr, &entropy, &of.device, &of.error), FR_OK);
      ASSERT_EQ(fr_metric_create("m", vector.plan.data(), vector.plan.size(), 0, 0, &of.metric,
                                 &of.error),
                FR_OK);
      EXPECT_EQ(fr_client_open(of.device, of.metric, 1, &of.client, &of.error), FR_NO_ENTROPY)
          << vector.metric << " " << byte;
      EXPECT_TRUE(records.saved.empty());
    }
  }
  EXPECT_GT(protocols.size(), 8U);
}

}  // namespace
}  // namespace futurerand
