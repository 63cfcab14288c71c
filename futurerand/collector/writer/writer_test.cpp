#include "futurerand/collector/writer/writer.hpp"

#include <future>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

constexpr HashKey kKey{5, 6};

MetricDefinition definition(const std::string& name, int periods = 8) {
  return *define_metric(name,
                        R"({"max_changes":2,"epsilon":"1","protocol":"optimal","clock":"manual",)"
                        R"("periods":)" +
                            std::to_string(periods) + "}",
                        Instant{});
}

ClientId client(std::uint64_t number) {
  ClientId id;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

class WriterTest : public testing::Test {
 protected:
  void start() {
    Result<LoadedState> loaded = load_state(kKey, log_, log_, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    WriterOptions options;
    options.now = [this] { return now_.load(); };
    options.checkpoint_bytes = checkpoint_bytes_;
    options.max_waiting_bytes = 1 << 20;
    options.max_state_bytes = max_state_bytes_;
    writer_.emplace(options, *std::move(loaded), log_, log_);
  }
  void stop() { writer_.reset(); }

  WriteAnswer create(const std::string& name, int periods = 8) {
    std::promise<WriteAnswer> answer;
    writer_->create(definition(name, periods),
                    [&](WriteAnswer it) { answer.set_value(std::move(it)); });
    return answer.get_future().get();
  }
  WriteAnswer advance(std::uint32_t metric, std::optional<Period> expected = {}) {
    std::promise<WriteAnswer> answer;
    writer_->advance({metric, expected}, [&](WriteAnswer it) { answer.set_value(std::move(it)); });
    return answer.get_future().get();
  }
  WriteAnswer write(std::vector<Message> messages, std::uint32_t metric = 0) {
    std::vector<std::uint32_t> lines(messages.size(), 1);
    std::promise<WriteAnswer> answer;
    writer_->write({metric, std::move(messages), std::move(lines)}, 100,
                   [&](WriteAnswer it) { answer.set_value(std::move(it)); });
    return answer.get_future().get();
  }
  Sums sums(std::uint32_t metric = 0) { return writer_->snapshot()->metrics[metric]->sums; }

  MemoryLog log_;
  std::atomic<Instant> now_ = Instant{};
  std::uint64_t checkpoint_bytes_ = 1 << 20;
  std::uint64_t max_state_bytes_ = UINT64_MAX;
  std::optional<Writer> writer_;
};

TEST_F(WriterTest, CreatesAdvancesAndCounts) {
  start();
  EXPECT_TRUE(create("a").created);
  EXPECT_FALSE(create("a").created);
  EXPECT_EQ(create("a", 9).written, Written::kConflict);
  EXPECT_EQ(advance(0).period, 2U);
  const WriteAnswer answer =
      write({Enrolment{client(1), 0, 1, 0}, Report{client(1), 1, packed_signs("+")},
             Report{client(1), 1, packed_signs("+")}, Report{client(2), 1, packed_signs("+")}});
  EXPECT_EQ(answer.batch.counts.accepted, 2U);
  EXPECT_EQ(answer.batch.counts.duplicates, 1U);
  ASSERT_EQ(answer.batch.errors.size(), 1U);
  EXPECT_EQ(answer.batch.errors[0].reason, "unknown_client");
  EXPECT_EQ(sums().at(0, 1), (IndexSum{1, 1, 1}));
  for (Period period = 3; period <= 10; ++period) EXPECT_EQ(advance(0).period, period);
  EXPECT_EQ(advance(0).written, Written::kConflict);
  EXPECT_EQ(write({Enrolment{client(3), 0, 1, 0}}).batch.errors[0].reason, "closed");
}

TEST_F(WriterTest, RestartsWithTheSameState) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
    checkpoint_bytes_ = bytes;
    start();
    (void)create("a");
    (void)create("b");
    (void)advance(0);
    for (std::uint64_t c = 0; c < 200; ++c) {
      (void)write(
          {Enrolment{client(c + bytes), 0, 1, 0}, Report{client(c + bytes), 1, packed_signs("-")}},
          static_cast<std::uint32_t>(c % 2));
    }
    const Sums before = sums();
    const std::uint64_t sequence = writer_->snapshot()->sequence;
    stop();
    start();
    EXPECT_EQ(sums(), before);
    EXPECT_EQ(writer_->snapshot()->sequence, sequence);
    stop();
  }
}

TEST_F(WriterTest, AFullLogLeavesNoTrace) {
  start();
  (void)create("a");
  (void)write({Enrolment{client(1), 0, 1, 0}});
  (void)advance(0);
  const Sums before = sums();
  log_.full = true;
  EXPECT_EQ(write({Report{client(1), 1, packed_signs("+")}, Enrolment{client(2), 1, 1, 0}}).written,
            Written::kNoRoom);
  EXPECT_EQ(create("b").written, Written::kNoRoom);
  EXPECT_EQ(advance(0).written, Written::kNoRoom);
  EXPECT_FALSE(writer_->figures().has_room);
  EXPECT_EQ(sums(), before);
  log_.full = false;
  now_ = Instant(std::chrono::seconds(10));
  EXPECT_EQ(write({Report{client(1), 1, packed_signs("+")}}).batch.counts.accepted, 1U);
  EXPECT_TRUE(writer_->figures().has_room);
  EXPECT_EQ(write({Report{client(2), 1, packed_signs("+")}}).batch.errors[0].reason,
            "unknown_client");
  const Sums after = sums();
  stop();
  start();
  EXPECT_EQ(sums(), after);
}

TEST_F(WriterTest, ManyThreadsOneCount) {
  start();
  (void)create("a");
  for (int i = 0; i < 8; ++i) (void)advance(0);
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 300;
  std::vector<std::thread> threads;
  std::atomic<bool> reading = true;
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (reading) {
      const std::shared_ptr<const Snapshot> snapshot = writer_->snapshot();
      EXPECT_GE(snapshot->sequence, last);
      last = snapshot->sequence;
      const auto& metric = *snapshot->metrics[0];
      EXPECT_LE(metric.sums.at(0, 1).count, metric.devices);
    }
  });
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // Neighbours send the same half of their devices: each must count once.
      for (std::uint64_t c = 0; c < kEach; ++c) {
        const ClientId id = client(1 + (t / 2) * kEach + c);
        (void)write({Enrolment{id, 0, 1, 0}, Report{id, 1, packed_signs("+++")}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  reading = false;
  reader.join();
  EXPECT_EQ(writer_->snapshot()->metrics[0]->devices, kThreads / 2 * kEach);
  EXPECT_EQ(sums().at(0, 3), (IndexSum{static_cast<std::int64_t>(kThreads / 2 * kEach),
                                       kThreads / 2 * kEach, kThreads / 2 * kEach}));
}

TEST_F(WriterTest, AnAdvanceMayExpectAPeriod) {
  start();
  (void)create("a");
  EXPECT_EQ(advance(0, 1).period, 2U);
  const WriteAnswer again = advance(0, 1);  // the same request once more
  EXPECT_EQ(again.written, Written::kUnexpected);
  EXPECT_EQ(again.period, 2U);
  EXPECT_EQ(advance(0, 2).period, 3U);
}

TEST_F(WriterTest, WhatTheOperatorChangedIsSeenAtOnce) {
  start();
  (void)create("a", 4096);
  std::atomic<bool> stop = false;
  std::thread load([&] {
    for (std::uint64_t c = 0; !stop; ++c) (void)write({Enrolment{client(c), 0, 1, 0}});
  });
  for (Period period = 2; period < 60; ++period) {
    EXPECT_EQ(advance(0).period, period);
    EXPECT_EQ(writer_->snapshot()->metrics[0]->manual_period, period);
    const std::string name = std::string("m") + std::to_string(period);
    EXPECT_TRUE(create(name).created);
    EXPECT_NE(writer_->snapshot()->find(name), nullptr);
  }
  stop = true;
  load.join();
}

TEST_F(WriterTest, ALargeBatchIsWrittenInPartsAndAnsweredOnce) {
  start();
  (void)create("a");
  (void)advance(0);
  std::vector<Message> messages;
  for (std::uint64_t c = 0; c < 20'000; ++c) {
    messages.push_back(Enrolment{client(c), 0, 1, 0});
    messages.push_back(Report{client(c), 1, packed_signs(c % 4 == 0 ? "0" : "+")});
  }
  const WriteAnswer answer = write(messages);
  EXPECT_EQ(answer.batch.counts.accepted, 35'000U);
  EXPECT_EQ(answer.batch.counts.rejected, 5'000U);
  EXPECT_EQ(answer.batch.errors.size(), ReportAnswer::kMaxErrors);
  EXPECT_EQ(answer.batch.errors_not_shown, 5'000U - ReportAnswer::kMaxErrors);
  EXPECT_EQ(sums().at(0, 1), (IndexSum{15'000, 15'000, 15'000}));
}

TEST_F(WriterTest, NoMoreDevicesThanAMetricMayHave) {
  start();
  MetricDefinition small = definition("a");
  small.max_devices = 3;
  std::promise<WriteAnswer> made;
  writer_->create(small, [&](WriteAnswer it) { made.set_value(std::move(it)); });
  EXPECT_TRUE(made.get_future().get().created);
  const WriteAnswer answer =
      write({Enrolment{client(1), 0, 1, 0}, Enrolment{client(2), 0, 1, 0},
             Enrolment{client(1), 0, 1, 0}, Enrolment{client(3), 0, 1, 0},
             Enrolment{client(4), 0, 1, 0}, Report{client(4), 1, packed_signs("+")}});
  EXPECT_EQ(answer.batch.counts.accepted, 3U);
  EXPECT_EQ(answer.batch.counts.duplicates, 1U);
  ASSERT_EQ(answer.batch.errors.size(), 2U);
  EXPECT_EQ(answer.batch.errors[0].reason, "too_many_devices");
  EXPECT_EQ(answer.batch.errors[1].reason, "unknown_client");
  EXPECT_EQ(writer_->snapshot()->metrics[0]->devices, 3U);
}

TEST_F(WriterTest, BeyondItsMemoryNobodyEnrolsAndReportsGoOn) {
  max_state_bytes_ = 1 << 20;
  start();
  (void)create("a");
  (void)advance(0);
  std::uint64_t enrolled = 0;
  WriteAnswer answer;
  while (answer.written == Written::kDurable && enrolled < 1'000'000) {
    std::vector<Message> messages;
    for (int i = 0; i < 1000; ++i) messages.push_back(Enrolment{client(enrolled++), 0, 1, 0});
    answer = write(messages);
  }
  EXPECT_EQ(answer.written, Written::kNoMemory);
  EXPECT_LT(writer_->figures().state_bytes, 2U << 20);
  EXPECT_EQ(write({Report{client(1), 1, packed_signs("+")}}).batch.counts.accepted, 1U);
}

TEST_F(WriterTest, AMetricThatIsOverForgetsItsClients) {
  start();
  (void)create("a");
  (void)write({Enrolment{client(1), 0, 1, 0}, Enrolment{client(2), 0, 1, 0}});
  while (advance(0).written == Written::kDurable) {
  }
  const std::uint64_t before = writer_->figures().state_bytes;
  now_ = Instant(std::chrono::seconds(100));
  // The writer looks once a second; a request wakes it up.
  for (int i = 0; writer_->figures().state_bytes >= before && i < 600; ++i) {
    (void)write({Report{client(1), 1, packed_signs("+")}});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_LT(writer_->figures().state_bytes, before);
  EXPECT_EQ(writer_->snapshot()->metrics[0]->devices, 2U);
  stop();
  start();
  EXPECT_EQ(writer_->snapshot()->metrics[0]->devices, 2U);
  EXPECT_EQ(write({Enrolment{client(3), 0, 1, 0}}).batch.errors[0].reason, "closed");
}

TEST_F(WriterTest, StoppedTakesNothing) {
  start();
  (void)create("a");
  writer_->stop();
  EXPECT_EQ(write({Enrolment{client(1), 0, 1, 0}}).written, Written::kStopping);
}

}  // namespace
}  // namespace futurerand
