// What a collector's answer means for several clients whose lines went in one request.
#include "futurerand/client/acknowledge.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;
using test::terms_of;

// Clients that have observed five periods each: an enrolment and one line with the signs of indices
// 1 to 5 wait to be sent.
class AcknowledgeTest : public ::testing::Test {
 protected:
  AcknowledgeTest() {
    const MetricTerms terms = terms_of("m", Protocol::kInnovation, 40);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      devices_.push_back(std::make_unique<DeviceUnderTest>(terms, seed));
      clients_.push_back(std::make_unique<Client>(devices_.back()->join(1)));
      observe(*clients_.back(), 5);
    }
  }
  static void observe(Client& client, Period period) {
    ASSERT_TRUE(client.observe(period, true));
    client.begin_period(period + 1);
  }
  // Applies an answer with these errors to the lines of all clients; it counts so many more lines.
  Result<SentBatch> answer(std::vector<LineError> errors, std::uint64_t not_shown = 0,
                           int more = 0) {
    std::vector<Client*> all;
    std::vector<Outbox> outboxes;
    auto lines = static_cast<std::uint64_t>(more);
    for (const auto& client : clients_) {
      all.push_back(client.get());
      outboxes.push_back(client->outbox());
      lines += outboxes.back().num_lines();
    }
    return acknowledge(all, std::move(outboxes),
                       {LineCounts{lines, 0, 0, 0}, std::move(errors), not_shown});
  }
  // Returns the first index that a client would send now; 0 if it would send nothing.
  std::uint32_t first_unsent(std::size_t client) {
    const Outbox outbox = clients_[client]->outbox();
    return outbox.reports.empty() ? 0 : outbox.reports.front().first_index;
  }
  bool has_enrolled(std::size_t client) { return !clients_[client]->outbox().enrolment; }

  std::vector<std::unique_ptr<DeviceUnderTest>> devices_;
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(AcknowledgeTest, WithoutErrorsTheCollectorHasAllOfIt) {
  ASSERT_EQ(clients_[0]->outbox().num_lines(), 2U);
  const Result<SentBatch> batch = answer({});
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->counts.accepted, 6U);
  ASSERT_EQ(batch->clients.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(batch->clients[i].next_index, 6U);
    EXPECT_TRUE(batch->clients[i].acknowledged);
    EXPECT_FALSE(batch->clients[i].refusal);
    EXPECT_EQ(clients_[i]->outbox().num_lines(), 0U);
  }
}

// It is to another request: to one with more lines, or with fewer.
TEST_F(AcknowledgeTest, AnAnswerThatCountsOtherLinesAcknowledgesNothing) {
  for (const int more : {-6, -1, 1, 2}) {
    const Result<SentBatch> batch = answer({}, 0, more);
    ASSERT_FALSE(batch) << more;
    EXPECT_EQ(batch.error().code, ErrorCode::kInvalid);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(clients_[i]->outbox().num_lines(), 2U);
  }
}

// The lines behind an enrolment that waits are refused for another reason: it is not the cause.
TEST_F(AcknowledgeTest, AnEnrolmentThatWaitsIsNoReasonToGiveUp) {
  const Result<SentBatch> batch =
      answer({{1, "early"}, {2, "unknown_client"}, {3, "too_many_devices"}, {4, "unknown_client"}});
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->clients[0].refusal->code, ErrorCode::kNotStarted);
  EXPECT_EQ(batch->clients[1].refusal->code, ErrorCode::kNoRoom);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(clients_[i]->outbox().num_lines(), 2U);
}

TEST_F(AcknowledgeTest, AnErrorIsOfTheClientWhoseLineItIs) {
  const Result<SentBatch> batch = answer({{2, "early", 3}, {3, "unknown_view"}, {6, "early", 5}});
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->clients[0].next_index, 3U);
  EXPECT_TRUE(batch->clients[0].acknowledged);
  EXPECT_EQ(first_unsent(0), 3U);
  ASSERT_TRUE(batch->clients[1].refusal);
  EXPECT_EQ(batch->clients[1].refusal->message, "the collector refused a line: unknown_view");
  EXPECT_EQ(batch->clients[1].refusal->code, ErrorCode::kRefused);
  EXPECT_FALSE(batch->clients[1].acknowledged);
  EXPECT_FALSE(has_enrolled(1));
  EXPECT_EQ(first_unsent(1), 1U);
  EXPECT_EQ(batch->clients[2].next_index, 5U);
  EXPECT_EQ(first_unsent(2), 5U);
}

// A collector may expect what the device has, and whatever comes next.
TEST_F(AcknowledgeTest, AnIndexThatTheDeviceDoesNotHaveIsARefusal) {
  ASSERT_TRUE(clients_[0]->acknowledge(3));
  ASSERT_TRUE(clients_[1]->acknowledge(3));
  // Each of these two sends one line now, without an enrolment.
  const Result<SentBatch> batch = answer({{1, "early", 2}, {2, "early", 3}, {4, "gap", 7}});
  ASSERT_TRUE(batch);
  ASSERT_TRUE(batch->clients[0].refusal);
  EXPECT_EQ(batch->clients[0].refusal->message,
            "the collector refused a line: early; it expects index 2, and this device sent those "
            "from 3 on");
  EXPECT_EQ(first_unsent(0), 3U);
  EXPECT_TRUE(batch->clients[1].acknowledged);
  EXPECT_EQ(batch->clients[1].next_index, 3U);
  EXPECT_EQ(first_unsent(1), 3U);
  ASSERT_TRUE(batch->clients[2].refusal);
  EXPECT_EQ(batch->clients[2].refusal->message,
            "the collector refused a line: gap; it expects index 7, and this device sent those "
            "from 1 on");

  const Result<SentBatch> all_of_it = answer({{1, "early", 6}});
  ASSERT_TRUE(all_of_it);
  EXPECT_TRUE(all_of_it->clients[0].acknowledged);
  EXPECT_EQ(first_unsent(0), 0U);
}

TEST_F(AcknowledgeTest, WithoutReportsTheNextIndexIsTheOnlyOneExpected) {
  ASSERT_TRUE(answer({}));
  devices_.push_back(std::make_unique<DeviceUnderTest>(devices_[0]->terms, 4));
  clients_.push_back(std::make_unique<Client>(devices_.back()->join(1)));
  ASSERT_EQ(clients_[3]->outbox().num_lines(), 1U);
  const Result<SentBatch> batch = answer({{1, "early", 1}});
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->clients[3].acknowledged);
  EXPECT_TRUE(has_enrolled(3));
}

TEST_F(AcknowledgeTest, NobodyKnowsWhatBecameOfLinesAfterTheLastErrorShown) {
  const Result<SentBatch> batch = answer({{4, "early", 2}}, 1);
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->clients[0].acknowledged);
  EXPECT_FALSE(batch->clients[1].acknowledged);
  EXPECT_FALSE(batch->clients[1].refusal);
  EXPECT_FALSE(batch->clients[2].acknowledged);
  EXPECT_TRUE(has_enrolled(0));
  EXPECT_FALSE(has_enrolled(1));
  EXPECT_FALSE(has_enrolled(2));
}

TEST_F(AcknowledgeTest, AClientThatCannotSaveIsAnError) {
  devices_[1]->store.good_saves = 0;
  const Result<SentBatch> batch = answer({});
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().message, "the disk is full");
  EXPECT_TRUE(has_enrolled(0));
  EXPECT_FALSE(has_enrolled(1));
}

}  // namespace
}  // namespace futurerand
