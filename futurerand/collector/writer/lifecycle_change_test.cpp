// The lifecycle of metrics: every replay gives the writer's result, and no commit and no checkpoint
// contains erased data.
#include "futurerand/collector/writer/lifecycle_change.hpp"

#include <future>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/collector/writer/writer.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

MetricDefinition lifecycle_definition(const std::string& name) {
  return *define_metric(
      name, R"({"max_changes":2,"epsilon":"1","protocol":"optimal","clock":"manual","periods":8})",
      Instant{});
}

class LifecycleTest : public testing::Test {
 protected:
  LifecycleTest() { start(); }

  void start(bool keeps_log = false) {
    Result<LoadedState> loaded = load_state({3, 4}, log_, log_, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    WriterOptions options;
    options.now = [] { return Instant{}; };
    options.checkpoint_bytes = std::uint64_t{1} << 40;  // only after an erasure
    options.keeps_log = keeps_log;
    writer_.emplace(options, *std::move(loaded), log_, log_);
  }
  void restart(bool keeps_log = false) {
    writer_.reset();
    start(keeps_log);
  }

  template <typename Submit>
  WriteAnswer answer_to(Submit submit) {
    std::promise<WriteAnswer> answer;
    submit([&](WriteAnswer it) { answer.set_value(std::move(it)); });
    return answer.get_future().get();
  }
  Written change(LifecycleChange change) {
    return answer_to([&](WhenWritten when) { writer_->change(std::move(change), std::move(when)); })
        .written;
  }
  std::uint32_t create(const std::string& name) {
    (void)answer_to([&](WhenWritten when) { writer_->create(lifecycle_definition(name), when); });
    return find(name)->number;
  }
  WriteAnswer report(std::uint32_t metric, const ClientId& id) {
    return answer_to([&](WhenWritten when) {
      writer_->write({metric, {Enrolment{id, 0, 1, 0}, Report{id, 1, packed_signs("+")}}, {1, 2}},
                     100, when);
    });
  }
  void advance(std::uint32_t metric) {
    (void)answer_to([&](WhenWritten when) { writer_->advance({metric}, when); });
  }
  std::shared_ptr<const MetricSnapshot> find(const std::string& name) {
    return writer_->snapshot()->find(name);
  }
  // Searches everything on disk for these bytes. Requires a stopped writer.
  bool stored(std::string_view bytes) const {
    for (const auto& [sequence, group] : log_.groups) {
      if (group.find(bytes) != std::string::npos) return true;
    }
    for (const auto& [sequence, pieces] : log_.checkpoints) {
      for (const MemoryLog::Piece& piece : pieces) {
        if (piece.bytes.find(bytes) != std::string::npos) return true;
      }
    }
    return false;
  }

  const ClientId id_{
      {'a', ' ', 'v', 'e', 'r', 'y', ' ', 'r', 'a', 'r', 'e', ' ', 'o', 'n', 'e', 0}};
  MemoryLog log_;
  std::optional<Writer> writer_;
};

constexpr std::string_view kRare = "a very rare one";

TEST_F(LifecycleTest, DeletedIsGoneFromStateAndDisk) {
  const std::uint32_t first = create("first");
  const std::uint32_t kept = create("kept");
  advance(first);
  advance(kept);
  ASSERT_EQ(report(first, id_).batch.counts.accepted, 2U);
  ASSERT_EQ(report(kept, ClientId{{7}}).batch.counts.accepted, 2U);
  restart();  // an older checkpoint has it too
  ASSERT_TRUE(stored(kRare));
  EXPECT_EQ(change(MetricDeleted{first}), Written::kDurable);
  EXPECT_EQ(find("first"), nullptr);
  EXPECT_EQ(writer_->snapshot()->metrics[first], nullptr);
  EXPECT_EQ(change(MetricDeleted{first}), Written::kGone);
  EXPECT_EQ(report(first, id_).written, Written::kGone);
  for (int run = 0; run < 2; ++run) {
    restart();
    EXPECT_FALSE(stored(kRare));
    EXPECT_FALSE(stored("first"));
    EXPECT_EQ(find("first"), nullptr);
    ASSERT_NE(find("kept"), nullptr);
    EXPECT_EQ(find("kept")->number, kept);
    EXPECT_EQ(find("kept")->sums.at(0, 1), (IndexSum{1, 1, 1}));
  }
  // The name is free, the number is not given again.
  EXPECT_EQ(create("first"), kept + 1);
  EXPECT_EQ(find("first")->devices, 0U);
  restart();
  EXPECT_EQ(find("first")->number, kept + 1);
}

TEST_F(LifecycleTest, ReplayOfTheLogAloneAgrees) {
  const std::uint32_t gone = create("gone");
  advance(gone);
  (void)report(gone, id_);
  const std::uint32_t ended = create("ended");
  advance(ended);
  (void)report(ended, id_);
  // A copy of the log as it is while the writer runs, before any erasing checkpoint.
  MemoryLog copy;
  copy.groups = log_.groups;
  std::uint64_t next = copy.groups.rbegin()->first;
  copy.groups[++next] = commit_of(MetricDeleted{gone});
  copy.groups[++next] = commit_of(MetricEnded{ended, 2});
  copy.groups[++next] = commit_of(MetricArchived{ended, true});
  const Result<LoadedState> loaded = load_state({1, 2}, copy, copy, say_nothing);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_FALSE(loaded->state.has(gone));
  EXPECT_TRUE(loaded->state.owes_erasure());
  EXPECT_EQ(loaded->state.metric(ended).ended, 2U);
  EXPECT_TRUE(loaded->state.metric(ended).archived);
  EXPECT_TRUE(loaded->state.metric(ended).is_closed(Instant{}));
  // Messages for a deleted metric are damage.
  std::string messages;
  put_message(messages, Enrolment{id_, 0, 1, 0});
  put_record(copy.groups[++next], MessagesAccepted{gone, 2, messages});
  EXPECT_FALSE(load_state({1, 2}, copy, copy, say_nothing));
}

TEST_F(LifecycleTest, EndedKeepsItsSumsAndItsClockStands) {
  const std::uint32_t metric = create("m");
  EXPECT_EQ(change(MetricArchived{metric, true}), Written::kConflict);
  advance(metric);
  (void)report(metric, id_);
  EXPECT_EQ(change(MetricEnded{metric}), Written::kDurable);
  EXPECT_EQ(change(MetricEnded{metric}), Written::kDurable);  // done already
  EXPECT_EQ(report(metric, ClientId{{9}}).batch.errors[0].reason, "closed");
  EXPECT_EQ(change(MetricArchived{metric, true}), Written::kDurable);
  for (int run = 0; run < 3; ++run) {
    ASSERT_NE(find("m"), nullptr);
    EXPECT_EQ(find("m")->ended, 2U);
    EXPECT_EQ(find("m")->current_period(Instant{}), 2U);
    EXPECT_TRUE(find("m")->archived);
    EXPECT_EQ(find("m")->sums.at(0, 1), (IndexSum{1, 1, 1}));
    EXPECT_EQ(find("m")->devices, 1U);
    restart();
    EXPECT_FALSE(stored(kRare));
  }
  EXPECT_EQ(change(MetricArchived{metric, false}), Written::kDurable);
  EXPECT_FALSE(find("m")->archived);
}

TEST_F(LifecycleTest, WhatAnOperatorEndedIsReopenedUntilItsDevicesAreErased) {
  const std::uint32_t metric = create("m");
  advance(metric);
  (void)report(metric, id_);
  EXPECT_EQ(change(MetricReopened{metric}), Written::kDurable);  // it is open
  EXPECT_EQ(change(MetricReopened{metric + 1}), Written::kGone);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(change(MetricEnded{metric, 0, true}), Written::kDurable);
    restart();
    EXPECT_EQ(find("m")->ended, 2U);
    EXPECT_EQ(report(metric, ClientId{{9}}).batch.errors[0].reason, "closed");
    EXPECT_EQ(change(MetricReopened{metric}), Written::kDurable);
    restart();
    EXPECT_FALSE(find("m")->ended);
    EXPECT_EQ(report(metric, id_).batch.counts.duplicates, 2U);  // it is known as before
  }
  EXPECT_EQ(change(MetricEnded{metric}), Written::kDurable);
  EXPECT_EQ(change(MetricReopened{metric}), Written::kConflict);
  EXPECT_EQ(find("m")->ended, 2U);
  restart();
  EXPECT_FALSE(stored(kRare));
}

TEST_F(LifecycleTest, ImportedIsClosedWithItsSums) {
  const MetricDefinition definition = lifecycle_definition("elsewhere");
  Sums sums(definition.plan);
  sums.enrol(0, 1, 0, 5);
  sums.add(0, 1, 3, 5);
  Fold fold(definition.plan, {});
  fold.adopt(sums);
  const MetricImported imported{to_json(definition), 4, FoldCheckpoint::save(fold, 0)};
  EXPECT_EQ(change(imported), Written::kDurable);
  EXPECT_EQ(change(imported), Written::kConflict);
  for (int run = 0; run < 2; ++run) {
    ASSERT_NE(find("elsewhere"), nullptr);
    EXPECT_EQ(find("elsewhere")->sums, sums);
    EXPECT_EQ(find("elsewhere")->devices, 5U);
    EXPECT_EQ(find("elsewhere")->current_period(Instant{}), 4U);
    restart();
  }
  EXPECT_EQ(report(find("elsewhere")->number, id_).batch.errors[0].reason, "closed");
}

TEST_F(LifecycleTest, AKeptLogRefusesAndAFullOneLeavesNoTrace) {
  const std::uint32_t metric = create("m");
  restart(true);
  EXPECT_EQ(change(MetricDeleted{metric}), Written::kConflict);
  restart(false);
  log_.full = true;
  EXPECT_EQ(change(MetricDeleted{metric}), Written::kNoRoom);
  EXPECT_NE(find("m"), nullptr);
  EXPECT_EQ(change(MetricEnded{metric}), Written::kNoRoom);
  EXPECT_FALSE(find("m")->ended);
}

}  // namespace
}  // namespace futurerand
