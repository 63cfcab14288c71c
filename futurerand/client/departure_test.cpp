// Leaving and being forgotten, on the device: the erased data, the sent lines, and the rest.
#include "futurerand/client/departure.hpp"

#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/acknowledge.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;
using test::reopen;
using test::terms_of;

std::string record_of(const DeviceUnderTest& device) {
  return device.store.memory.records().rbegin()->first;
}

SentOutbox answered(Client& client, std::vector<LineError> errors = {}) {
  const Outbox outbox = client.outbox();
  ReportAnswer answer;
  answer.counts.rejected = errors.size();
  answer.counts.accepted = outbox.num_lines() - errors.size();
  answer.errors = std::move(errors);
  Client* const clients[] = {&client};
  return acknowledge(clients, {outbox}, answer)->clients[0];
}

// Whatever the value was, and whatever waited: one line, the same, in a state of one size.
TEST(Departure, OneLineIsAllThatIsSentAndTheStateSaysNothing) {
  for (const bool forget : {false, true}) {
    std::string states[2];
    for (const bool value : {false, true}) {
      DeviceUnderTest device(terms_of());
      Client client = device.join(3);
      ASSERT_TRUE(client.observe(9, value));
      ASSERT_TRUE(forget ? client.forget(10) : client.leave(10));
      const std::string id = to_hex(client.id());
      EXPECT_EQ(to_lines(client.outbox()), forget ? "{\"client\":\"" + id + "\",\"forget\":true}\n"
                                                  : "{\"client\":\"" + id + "\",\"leave\":10}\n");
      EXPECT_EQ(client.outbox().num_lines(), 1U);
      const Bytes& saved = device.store.memory.records().at(record_of(device));
      states[value ? 1 : 0].assign(saved.begin(), saved.end());
      EXPECT_LT(saved.size(), 128U);
      // It is for good, and what was spent stays spent.
      EXPECT_EQ(client.observe(11, value).error().code, ErrorCode::kRefused);
      EXPECT_TRUE(client.left());
      EXPECT_TRUE(client.closed());
      EXPECT_EQ(device.ledger.entries().size(), 1U);
      EXPECT_EQ(device.ledger.spent_nanos(), device.terms.plan.plan().epsilon.nanos());
    }
    EXPECT_EQ(states[0], states[1]);
  }
}

TEST(Departure, IsRememberedAndCannotBeUndone) {
  DeviceUnderTest device(terms_of());
  {
    Client client = device.join();
    ASSERT_TRUE(client.observe(5, true));
    ASSERT_TRUE(client.leave(2));  // time does not go back
    EXPECT_EQ(client.outbox().leave->period, 5U);
  }
  MemoryStateStore copy = device.store.memory;
  Result<Client> again = reopen(device.terms, copy);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->left());
  EXPECT_EQ(again->outbox().leave, (Leave{again->id(), 5}));
  EXPECT_EQ(again->observe(6, true).error().code, ErrorCode::kRefused);
  const Bytes before = copy.records().at(record_of(device));
  EXPECT_TRUE(again->leave(9));
  EXPECT_EQ(copy.records().at(record_of(device)), before);
  // To be forgotten may be asked for later, and not be taken back.
  EXPECT_TRUE(again->forget(9));
  EXPECT_TRUE(again->outbox().forget);
  EXPECT_TRUE(again->leave(9));
  EXPECT_TRUE(again->outbox().forget);
  // Other terms under the same name are refused even now.
  MetricTerms other = terms_of("m", Protocol::kOptimal, 8, "1");
  other.name = device.terms.name;
  MemoryStateStore second = copy;
  EXPECT_EQ(reopen(other, second).error().code, ErrorCode::kRefused);
}

// If the state cannot be saved, the device takes part as before.
TEST(Departure, IsSavedBeforeItIsSaid) {
  DeviceUnderTest device(terms_of());
  Client client = device.join();
  ASSERT_TRUE(client.observe(5, true));
  const std::string before = to_lines(client.outbox());
  device.store.good_saves = device.store.saves;
  EXPECT_FALSE(client.leave(6));
  EXPECT_FALSE(client.forget(6));
  EXPECT_FALSE(client.left());
  EXPECT_EQ(to_lines(client.outbox()), before);
}

// A collector that is restored from an older backup hears of it in the next period.
TEST(Departure, IsSaidAgainInEachPeriodUntilTheMetricEnds) {
  for (const bool forget : {false, true}) {
    DeviceUnderTest device(terms_of());
    Client client = device.join();
    ASSERT_TRUE(client.observe(5, true));
    ASSERT_TRUE(forget ? client.forget(6) : client.leave(6));
    EXPECT_TRUE(answered(client).acknowledged);
    EXPECT_EQ(client.outbox().num_lines(), 0U);
    client.begin_period(6);
    EXPECT_EQ(client.outbox().num_lines(), 0U);
    client.begin_period(8);
    EXPECT_EQ(client.outbox().num_lines(), 1U);
    EXPECT_TRUE(answered(client).acknowledged);
    EXPECT_EQ(client.outbox().num_lines(), 0U);
    MemoryStateStore copy = device.store.memory;
    Client same = *reopen(device.terms, copy);
    EXPECT_EQ(same.outbox().num_lines(), 0U);
    same.begin_period(9);
    EXPECT_EQ(same.outbox().num_lines(), 1U);
    // Saying it again says that a period has begun.
    ASSERT_TRUE(forget ? client.forget(9) : client.leave(9));
    EXPECT_EQ(client.outbox().num_lines(), 1U);
    EXPECT_TRUE(client.outbox().leave.has_value() != forget);
    EXPECT_TRUE(answered(client).acknowledged);
    client.begin_period(201);  // it is over
    EXPECT_EQ(client.outbox().num_lines(), 0U);
  }
}

TEST(Departure, WhatTheCollectorAnswersIsUnderstood) {
  const auto left = [](bool forget, const char* reason) {
    DeviceUnderTest device(terms_of());
    Client client = device.join();
    EXPECT_TRUE(forget ? client.forget(6) : client.leave(6));
    const SentOutbox sent = answered(client, {{1, reason}});
    return std::tuple(sent.refusal ? int(sent.refusal->code) : -1, client.outbox().num_lines(),
                      client.outbox().leave.has_value());
  };
  const auto code = [](ErrorCode given) { return int(given); };
  // A device that the collector does not know has left.
  EXPECT_EQ(left(false, "unknown_client"), std::tuple(-1, 0U, false));
  EXPECT_EQ(left(false, "closed"), std::tuple(-1, 0U, false));
  EXPECT_EQ(left(false, "early"), std::tuple(code(ErrorCode::kNotStarted), 1U, true));
  EXPECT_EQ(left(true, "too_many_devices"), std::tuple(code(ErrorCode::kNoRoom), 1U, false));
  EXPECT_EQ(left(true, "closed"), std::tuple(code(ErrorCode::kRefused), 1U, false));
  // Nothing can be taken out: then it leaves.
  EXPECT_EQ(left(true, "no_transcripts"), std::tuple(code(ErrorCode::kRefused), 1U, true));
}

// An answer to what was sent before does not count for what is sent now.
TEST(Departure, ALateAnswerIsNotForIt) {
  DeviceUnderTest device(terms_of());
  Client client = device.join();
  ASSERT_TRUE(client.observe(5, true));
  client.begin_period(6);
  const Outbox before = client.outbox();
  const std::string lines = to_lines(before);
  ASSERT_TRUE(client.leave(6));
  const Result<Outbox> late = client.outbox_of(lines);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->num_lines(), before.num_lines());
  Client* const clients[] = {&client};
  ReportAnswer answer;
  answer.counts.accepted = before.num_lines();
  ASSERT_TRUE(acknowledge(clients, {*late}, answer));
  EXPECT_EQ(client.outbox().num_lines(), 1U);
  const std::string leaving = to_lines(client.outbox());
  ASSERT_TRUE(client.forget(6));
  answer.counts.accepted = 1;
  ASSERT_TRUE(acknowledge(clients, {*client.outbox_of(leaving)}, answer));
  EXPECT_EQ(client.outbox().num_lines(), 1U);
  EXPECT_FALSE(client.outbox_of(leaving + leaving));
  EXPECT_FALSE(client.outbox_of("{\"client\":\"" + std::string(32, '0') + "\",\"leave\":6}\n"));
}

TEST(Departure, EveryChangedByteIsDamage) {
  DeviceUnderTest device(terms_of());
  { ASSERT_TRUE(device.join().forget(6)); }
  const Bytes saved = device.store.memory.records().at(record_of(device));
  ASSERT_TRUE(Departure::read(saved, device.terms));
  for (std::size_t at = 0; at < saved.size(); ++at) {
    Bytes changed = saved;
    changed[at] ^= 1;
    EXPECT_FALSE(Departure::read(changed, device.terms)) << at;
    EXPECT_FALSE(Departure::read(std::span(saved).first(at), device.terms)) << at;
  }
}

}  // namespace
}  // namespace futurerand
