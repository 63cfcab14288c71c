// A writer without a thread. Its driver appends for several writers.
#include <ctime>
#include <functional>

#include <gtest/gtest.h>

#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/collector/writer/writer.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

class DrivenWriterTest : public testing::Test {
 protected:
  DrivenWriterTest() {
    WriterOptions options;
    options.now = [] { return Instant{}; };
    options.wake = [this] { ++woken_; };
    options.lose = [this](const std::string&) { lost_ = true; };
    options.publish_interval = std::chrono::hours(1);
    writer_.emplace(options, *load_state(HashKey{5, 6}, log_, log_, say_nothing), log_, log_);
  }

  void create() {
    writer_->create(*define_metric("a",
                                   R"({"max_changes":2,"epsilon":"1","protocol":"optimal",)"
                                   R"("clock":"manual","periods":8})",
                                   Instant{}),
                    [](const WriteAnswer&) {});
  }
  void enrol(std::uint8_t number) {
    ClientId client;
    client.bytes[0] = number;
    writer_->write({0, {Enrolment{client, 0, 1, 0}}, {1}}, 100,
                   [this](WriteAnswer answer) { answers_.push_back(std::move(answer)); });
  }
  // Appends the begun commit to the log, as a driver does.
  bool drive() {
    if (!writer_->begin()) return false;
    AppendResult result;
    if (!writer_->group().empty()) {
      result = log_.append(writer_->next_sequence(), writer_->group());
    }
    writer_->end(result, {});
    return true;
  }

  MemoryLog log_;
  int woken_ = 0;
  bool lost_ = false;
  std::vector<WriteAnswer> answers_;
  std::optional<Writer> writer_;
};

TEST_F(DrivenWriterTest, DoesNothingByItself) {
  create();
  enrol(1);
  enrol(2);
  EXPECT_EQ(woken_, 3);
  EXPECT_TRUE(answers_.empty());
  EXPECT_TRUE(log_.groups.empty());
  EXPECT_TRUE(drive());  // all waiting requests are one commit
  EXPECT_FALSE(writer_->has_waiting());
  EXPECT_FALSE(drive());
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[1].batch.counts.accepted, 1U);
  EXPECT_EQ(log_.groups.size(), 1U);
  // Readers see the operator's changes at once, and reports at the next interval.
  EXPECT_EQ(writer_->snapshot()->metrics[0]->devices, 2U);
  enrol(3);
  EXPECT_TRUE(drive());
  EXPECT_EQ(writer_->snapshot()->metrics[0]->devices, 2U);
}

// The request for a new metric computes its transcript limits. The writer does not wait for that.
TEST_F(DrivenWriterTest, FindsTheLimitsOfTranscriptsMade) {
  const auto cpu_seconds_of = [](const std::function<void()>& work) {
    const auto now = [] {
      timespec time;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double begin = now();
    work();
    return now() - begin;
  };
  const MetricDefinition definition =
      *define_metric("a",
                     R"({"max_changes":2,"epsilon":"1","protocol":"innovation",)"
                     R"("clock":"manual","periods":1024})",
                     Instant{});
  ASSERT_TRUE(definition.transcript_cap);
  const double asked =
      cpu_seconds_of([&] { writer_->create(definition, [](const WriteAnswer&) {}); });
  const double written = cpu_seconds_of([&] { EXPECT_TRUE(drive()); });
  EXPECT_GT(asked, 4 * written);
  EXPECT_TRUE(writer_->snapshot()->metrics[0]->presence->estimate().is_capped());
}

TEST_F(DrivenWriterTest, AnswersOnlyWhatIsDurable) {
  create();
  EXPECT_TRUE(drive());
  enrol(1);
  ASSERT_TRUE(writer_->begin());
  EXPECT_FALSE(writer_->group().empty());
  EXPECT_TRUE(answers_.empty());
  writer_->end({Appended::kNoRoom, "told to be full"}, {});
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].written, Written::kNoRoom);
  EXPECT_EQ(writer_->next_sequence(), 2U);
}

TEST_F(DrivenWriterTest, GivesBackWhatMayBeTakenElsewhere) {
  create();
  EXPECT_TRUE(drive());
  enrol(1);
  ASSERT_TRUE(writer_->begin());
  writer_->end({Appended::kLost, "told to be lost"}, {});
  EXPECT_TRUE(lost_);
  enrol(2);  // and all later requests
  EXPECT_TRUE(drive());
  ASSERT_EQ(answers_.size(), 2U);
  for (const WriteAnswer& answer : answers_) {
    EXPECT_EQ(answer.written, Written::kMoved);
    ASSERT_NE(answer.returned.batch, nullptr);
    EXPECT_EQ(answer.returned.size(), 1U);
  }
  EXPECT_EQ(log_.groups.size(), 1U);
}

TEST_F(DrivenWriterTest, StopsOnTheCallersThread) {
  create();
  EXPECT_TRUE(drive());
  enrol(1);
  writer_->stop();
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].written, Written::kDurable);
  EXPECT_EQ(log_.groups.size(), 2U);
  EXPECT_EQ(log_.sequences().size(), 1U);
  enrol(2);
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[1].written, Written::kStopping);
  EXPECT_NE(answers_[1].returned.batch, nullptr);
}

}  // namespace
}  // namespace futurerand
