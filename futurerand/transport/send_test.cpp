#include "futurerand/transport/send.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using testing_sources::SeededSource;

// Clients of one metric that report every period, in period 10: nine signs each are over.
class SendTest : public ::testing::Test {
 protected:
  SendTest() {
    for (std::size_t i = 0; i < 3; ++i) {
      Ledger ledger = *Ledger::open(stores_[i], *Epsilon::parse("2"));
      clients_.push_back(*Client::open(terms_, 1, ledger, stores_[i], entropy_));
      EXPECT_TRUE(clients_[i].observe(10, true));
    }
    for (Client& client : clients_) pointers_.push_back(&client);
  }

  SentBatch send(ReportAnswer answer) {
    Result<SentBatch> sent = send_batch(pointers_, [&](std::string_view lines) {
      lines_ = lines;
      return Result<ReportAnswer>(answer);
    });
    EXPECT_TRUE(sent);
    return *std::move(sent);
  }

  MetricTerms terms_{
      "m",
      *CertifiedPlan::create(*make_plan(Protocol::kRepeated, 64, 1, *Epsilon::parse("1"))),
      {0, 0}};
  MemoryStateStore stores_[3];
  SeededSource entropy_{1};
  std::vector<Client> clients_;
  std::vector<Client*> pointers_;
  std::string lines_;
};

TEST_F(SendTest, AcknowledgesWhatTheCollectorHas) {
  const SentBatch sent = send({{6, 0, 0}, {}});
  EXPECT_EQ(std::count(lines_.begin(), lines_.end(), '\n'), 6);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(sent.clients[i].acknowledged);
    EXPECT_EQ(sent.clients[i].next_index, 10U);
    EXPECT_EQ(sent.clients[i].outbox.reports[0].signs.size(), 9U);
    EXPECT_EQ(clients_[i].outbox().num_lines(), 0U);
  }
  // Nothing is left to send: nobody is asked.
  lines_ = "untouched";
  send({});
  EXPECT_EQ(lines_, "untouched");
}

TEST_F(SendTest, KeepsWhatTheCollectorsClockHasNotReached) {
  const SentBatch sent = send({{6, 0, 0}, {{4, "early", 7}}});
  EXPECT_EQ(sent.clients[1].next_index, 7U);
  EXPECT_TRUE(sent.clients[1].acknowledged);
  EXPECT_EQ(clients_[0].outbox().num_lines(), 0U);
  ASSERT_EQ(clients_[1].outbox().num_lines(), 1U);
  EXPECT_EQ(clients_[1].outbox().reports[0].first_index, 7U);
  EXPECT_EQ(clients_[2].outbox().num_lines(), 0U);
}

TEST_F(SendTest, ARefusalIsOneClientsOnlyAndLosesNothing) {
  const SentBatch sent = send({{4, 0, 2}, {{3, "closed"}, {4, "unknown_client"}}});
  ASSERT_TRUE(sent.clients[1].refusal);
  EXPECT_EQ(sent.clients[1].refusal->code, ErrorCode::kRefused);
  EXPECT_EQ(clients_[1].outbox().num_lines(), 2U);
  EXPECT_FALSE(sent.clients[0].refusal);
  EXPECT_TRUE(sent.clients[2].acknowledged);
}

TEST_F(SendTest, AGapThatTheDeviceCannotFillIsARefusal) {
  send({{6, 0, 0}, {}});
  for (Client& client : clients_) ASSERT_TRUE(client.observe(20, false));
  const SentBatch sent = send({{2, 0, 1}, {{2, "gap", 40}}});
  ASSERT_TRUE(sent.clients[1].refusal);
  EXPECT_NE(sent.clients[1].refusal->message.find("expects index 40"), std::string::npos);
  EXPECT_EQ(clients_[1].outbox().reports[0].first_index, 10U);
}

TEST_F(SendTest, WhatTheCollectorLostIsSentAgain) {
  send({{6, 0, 0}, {}});
  const std::string before = lines_;
  for (Client& client : clients_) ASSERT_TRUE(client.observe(11, false));
  const SentBatch sent = send({{1, 0, 2}, {{1, "unknown_client"}, {2, "gap", 4}}});
  EXPECT_TRUE(sent.clients[0].again);
  EXPECT_TRUE(sent.clients[1].again);
  EXPECT_TRUE(sent.clients[2].acknowledged);
  send({{3, 0, 0}, {}});
  // The first client's enrolment and signs are as they were, and one more sign.
  const std::size_t known = before.find("\"}\n", before.find("signs"));
  EXPECT_EQ(lines_.substr(0, known), before.substr(0, known));
  EXPECT_EQ(std::count(lines_.begin(), lines_.end(), '\n'), 3);
  for (const Client& client : clients_) EXPECT_EQ(client.outbox().num_lines(), 0U);
}

TEST_F(SendTest, ErrorsThatAreNotShownLeaveTheOutboxAsItIs) {
  const SentBatch sent = send({{1, 0, 5}, {{2, "early", 9}}, 4});
  EXPECT_FALSE(sent.clients[0].acknowledged);
  EXPECT_FALSE(sent.clients[2].acknowledged);
  EXPECT_EQ(clients_[2].outbox().num_lines(), 2U);
}

TEST_F(SendTest, NoAnswerLeavesTheOutboxAsItIs) {
  const Result<SentBatch> sent = send_batch(pointers_, [](std::string_view) {
    return Result<ReportAnswer>(Error{"no answer", ErrorCode::kUnreachable});
  });
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kUnreachable);
  for (const Client& client : clients_) EXPECT_EQ(client.outbox().num_lines(), 2U);
}

}  // namespace
}  // namespace futurerand
