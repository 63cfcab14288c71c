// Cuts the pieces of a checkpoint between commits. With the log since its first cut, they restore
// exactly the state of the running writer.
#include "futurerand/collector/writer/state_checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/collector/writer/commit_batch.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

constexpr HashKey kCutKey{7, 8};
constexpr Period kCutPeriods = 16;

// Devices enrol and report at random, in one to three metrics.
class Traffic {
 public:
  explicit Traffic(unsigned seed) : random_(seed) {}

  void create(State& state, MemoryLog& log, std::uint64_t& sequence) {
    CommitBatch group(state, Instant{});
    // The third keeps presence.
    const std::string protocol =
        std::array<std::string, 3>{"hybrid", "optimal", "innovation"}[state.size() % 3];
    group.create(*define_metric(std::string("m") + std::to_string(state.size()),
                                R"({"max_changes":3,"epsilon":"3","clock":"manual","periods":16,)"
                                R"("protocol":")" +
                                    protocol + "\"}",
                                Instant{}));
    EXPECT_EQ(log.append(++sequence, group.bytes()).appended, Appended::kDurable);
  }

  void step(State& state, MemoryLog& log, std::uint64_t& sequence) {
    CommitBatch group(state, Instant{});
    const auto number = static_cast<std::uint32_t>(random_() % state.size());
    const Metric& metric = state.metric(number);
    if (random_() % 20 == 0 && metric.manual_period <= kCutPeriods) group.advance(number);
    Batch batch;
    batch.metric = number;
    for (std::size_t i = random_() % 6; i > 0; --i) {
      ClientId client;
      client.bytes[0] = static_cast<std::uint8_t>(random_() % 256);
      client.bytes[1] = static_cast<std::uint8_t>(random_() % 4);
      const auto view =
          static_cast<std::uint32_t>(random_() % metric.definition->plan.views.size());
      const Schedule shape(metric.definition->plan.views[view], kCutPeriods);
      const auto index = static_cast<std::uint32_t>(1 + random_() % shape.stride);
      const Period period = 1 + static_cast<Period>(random_() % 3);
      batch.messages.push_back(Enrolment{client, view, period, shape.draws_start() ? index : 0});
      const std::string signs = random_() % 2 == 0 ? "+-" : "-";
      for (std::uint32_t first = 1; first <= 4; ++first) {
        batch.messages.push_back(Report{client, first, packed_signs(signs)});
      }
      // Some leave, some ask to be forgotten, some do both; some were never there.
      if (random_() % 6 == 0) batch.messages.push_back(Leave{client, 3});
      if (random_() % 6 == 0) batch.messages.push_back(Forget{client});
    }
    batch.lines.assign(batch.messages.size(), 1);
    accepted_ += group.add(batch, 0, batch.messages.size()).counts.accepted;
    if (!group.bytes().empty()) {
      EXPECT_EQ(log.append(++sequence, group.bytes()).appended, Appended::kDurable);
    }
  }
  std::uint64_t accepted() const { return accepted_; }
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  std::mt19937 random_;
  std::uint64_t accepted_ = 0;
};

void expect_same(const State& one, const State& other) {
  ASSERT_EQ(one.num_pieces(), other.num_pieces());
  for (std::uint32_t piece = 0; piece < one.num_pieces(); ++piece) {
    ASSERT_EQ(one.piece(piece), other.piece(piece)) << piece;
  }
  for (std::uint32_t number = 0; number < one.size(); ++number) {
    ASSERT_EQ(one.metric(number).fold.sums(), other.metric(number).fold.sums());
    const Presence* presence = one.metric(number).fold.presence();
    ASSERT_EQ(presence == nullptr, number % 3 != 2);
    if (presence == nullptr) continue;
    ASSERT_EQ(*presence, *other.metric(number).fold.presence());
  }
}

// A checkpoint as StateCheckpoint makes it, but with groups after every few pieces, the last ones
// first if `backwards`. Calls between(i) after the i-th piece behind the list.
template <typename Between>
void put_cut_pieces(const State& state, MemoryLog& log, const std::uint64_t& sequence,
                    bool backwards, const Between& between) {
  ASSERT_TRUE(log.begin(sequence));
  ASSERT_TRUE(log.put({0, sequence, state.piece(0)}));
  const std::uint32_t num_pieces = state.num_pieces();
  for (std::uint32_t i = 1; i < num_pieces; ++i) {
    const std::uint32_t piece = backwards ? num_pieces - i : i;
    ASSERT_TRUE(log.put({piece, sequence, state.piece(piece)}));
    between(i);
  }
  ASSERT_TRUE(log.commit());
}

TEST(StateCheckpoint, PiecesCutBetweenGroupsAndTheLogGiveTheState) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Traffic traffic(seed);
    MemoryLog log;
    State state(kCutKey);
    std::uint64_t sequence = 0;
    for (int i = 0; i < 3; ++i) traffic.create(state, log, sequence);
    for (int i = 0; i < 600; ++i) traffic.step(state, log, sequence);
    const std::uint32_t middle = state.num_pieces() / 2;
    put_cut_pieces(state, log, sequence, seed % 2 == 0, [&](std::uint32_t i) {
      if (traffic.draw(3) == 0) traffic.step(state, log, sequence);
      if (i == middle) traffic.create(state, log, sequence);
    });
    for (int i = 0; i < 50; ++i) traffic.step(state, log, sequence);
    ASSERT_GT(traffic.accepted(), 2000U);

    const Result<LoadedState> loaded = load_state({1, 2}, log, log, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->sequence, sequence);
    EXPECT_GT(loaded->checkpoint_bytes, 0U);
    EXPECT_EQ(loaded->state.key(), kCutKey);  // the checkpoint brings its own key
    expect_same(loaded->state, state);
    // And from the log alone.
    log.checkpoints.clear();
    const Result<LoadedState> replayed = load_state(kCutKey, log, log, say_nothing);
    ASSERT_TRUE(replayed) << replayed.error().message;
    expect_same(replayed->state, state);
  }
}

// Devices with more contribution than almost any honest one, a few reports at a time. Their metric
// is number 0. It is over.
class LyingTraffic {
 public:
  explicit LyingTraffic(unsigned seed) : random_(seed) {}

  void create(State& state, MemoryLog& log, std::uint64_t& sequence) {
    CommitBatch group(state, Instant{});
    group.create(*define_metric("m",
                                R"({"max_changes":1,"epsilon":"4","clock":"manual","periods":40,)"
                                R"("protocol":"innovation","grace_periods":9})",
                                Instant{}));
    for (Period t = 0; t <= kPeriods; ++t) group.advance(0);
    Batch batch;
    for (std::size_t i = 0; i < kDevices; ++i) {
      batch.messages.push_back(Enrolment{client(i), 0, joined(i), 0});
    }
    add(group, batch, log, sequence);
  }

  void step(State& state, MemoryLog& log, std::uint64_t& sequence) {
    const std::size_t device = random_() % kDevices;
    Period& told = told_[device];
    const Period more = std::min<Period>(1 + static_cast<Period>(random_() % 3),
                                         kPeriods + 1 - joined(device) - told);
    if (more == 0) return;
    CommitBatch group(state, Instant{});
    Batch batch;
    batch.messages.push_back(Report{client(device), joined(device) + told,
                                    packed_signs(std::string(more, device % 4 == 0 ? '-' : '+'))});
    told += more;
    add(group, batch, log, sequence);
  }

 private:
  static constexpr Period kPeriods = 40;
  static constexpr std::size_t kDevices = 120;

  static Period joined(std::size_t device) { return 1 + static_cast<Period>(device % 5); }
  static ClientId client(std::size_t device) {
    ClientId client;
    client.bytes[0] = static_cast<std::uint8_t>(17 * device);
    client.bytes[1] = static_cast<std::uint8_t>(device);
    return client;
  }
  static void add(CommitBatch& group, Batch& batch, MemoryLog& log, std::uint64_t& sequence) {
    batch.lines.assign(batch.messages.size(), 1);
    EXPECT_EQ(group.add(batch, 0, batch.messages.size()).counts.accepted, batch.messages.size());
    EXPECT_EQ(log.append(++sequence, group.bytes()).appended, Appended::kDurable);
  }

  std::mt19937 random_;
  std::array<Period, kDevices> told_{};
};

// Presence is in the piece of the sums. Transcripts are in the pieces of the clients. Even if a
// report falls between the two cuts, replay restores both.
TEST(StateCheckpoint, PresenceComesBackFromPiecesCutBetweenGroups) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    LyingTraffic traffic(seed);
    MemoryLog log;
    State state(kCutKey);
    std::uint64_t sequence = 0;
    traffic.create(state, log, sequence);
    for (int i = 0; i < 1500; ++i) traffic.step(state, log, sequence);
    // Odd: the sums first, so that clients are ahead of them; even: the other way round.
    put_cut_pieces(state, log, sequence, seed % 2 == 0,
                   [&](std::uint32_t) { traffic.step(state, log, sequence); });
    for (int i = 0; i < 50; ++i) traffic.step(state, log, sequence);

    const Presence& whole = *state.metric(0).fold.presence();
    ASSERT_GT(whole.clipped(30), 10U);
    ASSERT_GT(whole.missing(30).devices, 0);
    const Result<LoadedState> loaded = load_state({1, 2}, log, log, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const Presence& presence = *loaded->state.metric(0).fold.presence();
    EXPECT_EQ(presence, whole);
    EXPECT_EQ(loaded->state.metric(0).fold.sums(), state.metric(0).fold.sums());
  }
}

TEST(StateCheckpoint, ADamagedOneIsSaidAndTheOlderOneIsUsed) {
  Traffic traffic(9);
  MemoryLog log;
  State state(kCutKey);
  std::uint64_t sequence = 0;
  traffic.create(state, log, sequence);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) traffic.step(state, log, sequence);
    Result<StateCheckpoint> checkpoint = StateCheckpoint::begin(state, log, sequence);
    ASSERT_TRUE(checkpoint);
    ASSERT_TRUE(checkpoint->cut_rest(sequence));
  }
  ASSERT_EQ(log.checkpoints.size(), 2U);
  log.checkpoints.rbegin()->second.pop_back();
  std::string said;
  const Result<LoadedState> loaded =
      load_state({1, 2}, log, log, [&](Event, const std::string& line) { said += line; });
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_NE(said.find("pieces are missing"), std::string::npos) << said;
  expect_same(loaded->state, state);
}

TEST(StateCheckpoint, AClosedMetricKeepsItsSumsWithoutItsClients) {
  Traffic traffic(10);
  MemoryLog log;
  State state(kCutKey);
  std::uint64_t sequence = 0;
  traffic.create(state, log, sequence);
  for (int i = 0; i < 300; ++i) traffic.step(state, log, sequence);
  const Sums sums = state.metric(0).fold.sums();
  const std::uint64_t clients = state.metric(0).fold.num_clients();
  CommitBatch group(state, Instant{});
  const Period end = state.metric(0).definition->closed_period();
  group.close(0, end);
  ASSERT_EQ(log.append(++sequence, group.bytes()).appended, Appended::kDurable);
  const std::uint64_t memory = state.memory_bytes();
  state.close(0, end);
  EXPECT_LT(state.memory_bytes(), memory / 2);
  EXPECT_TRUE(state.metric(0).is_closed(Instant{}));
  for (const bool with_checkpoint : {false, true}) {
    if (with_checkpoint) {
      Result<StateCheckpoint> checkpoint = StateCheckpoint::begin(state, log, sequence);
      ASSERT_TRUE(checkpoint);
      ASSERT_TRUE(*checkpoint->cut_slice(sequence));
      EXPECT_LT(checkpoint->bytes(), 20'000U);
    }
    const Result<LoadedState> loaded = load_state({1, 2}, log, log, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->state.metric(0).fold.sums(), sums);
    EXPECT_EQ(loaded->state.metric(0).fold.num_clients(), clients);
    EXPECT_TRUE(loaded->state.metric(0).is_closed(Instant{}));
  }
}

}  // namespace
}  // namespace futurerand
