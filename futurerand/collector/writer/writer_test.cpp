#include "futurerand/collector/writer/writer.hpp"

#include <future>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/log/memory_log.hpp"
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
    Result<LoadedState> loaded = load_state(kKey, log_, log_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    WriterOptions options;
    options.now = [this] { return now_.load(); };
    options.checkpoint_bytes = checkpoint_bytes_;
    options.max_waiting_bytes = 1 << 20;
    writer_.emplace(options, std::move(loaded->state), loaded->sequence, log_, log_);
  }
  void stop() { writer_.reset(); }

  WriteAnswer create(const std::string& name, int periods = 8) {
    std::promise<WriteAnswer> answer;
    writer_->create(definition(name, periods),
                    [&](WriteAnswer it) { answer.set_value(std::move(it)); });
    return answer.get_future().get();
  }
  WriteAnswer advance(std::uint32_t metric) {
    std::promise<WriteAnswer> answer;
    writer_->advance(metric, [&](WriteAnswer it) { answer.set_value(std::move(it)); });
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
  std::optional<Writer> writer_;
};

TEST_F(WriterTest, CreatesAdvancesAndCounts) {
  start();
  EXPECT_TRUE(create("a").created);
  EXPECT_FALSE(create("a").created);
  EXPECT_EQ(create("a", 9).written, Written::kConflict);
  EXPECT_EQ(advance(0).period, 2U);
  const WriteAnswer answer = write({Enrolment{client(1), 0, 1, 0}, Report{client(1), 1, "+"},
                                    Report{client(1), 1, "+"}, Report{client(2), 1, "+"}});
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
      (void)write({Enrolment{client(c + bytes), 0, 1, 0}, Report{client(c + bytes), 1, "-"}},
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
  EXPECT_EQ(write({Report{client(1), 1, "+"}, Enrolment{client(2), 1, 1, 0}}).written,
            Written::kNoRoom);
  EXPECT_EQ(create("b").written, Written::kNoRoom);
  EXPECT_EQ(advance(0).written, Written::kNoRoom);
  EXPECT_FALSE(writer_->has_room());
  EXPECT_EQ(sums(), before);
  log_.full = false;
  now_ = Instant(std::chrono::seconds(10));
  EXPECT_EQ(write({Report{client(1), 1, "+"}}).batch.counts.accepted, 1U);
  EXPECT_TRUE(writer_->has_room());
  EXPECT_EQ(write({Report{client(2), 1, "+"}}).batch.errors[0].reason, "unknown_client");
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
        (void)write({Enrolment{id, 0, 1, 0}, Report{id, 1, "+++"}});
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

TEST_F(WriterTest, StoppedTakesNothing) {
  start();
  (void)create("a");
  writer_->stop();
  EXPECT_EQ(write({Enrolment{client(1), 0, 1, 0}}).written, Written::kStopping);
}

}  // namespace
}  // namespace futurerand
