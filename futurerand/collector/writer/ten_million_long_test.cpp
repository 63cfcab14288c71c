// Ten million clients in one process: at most 64 bytes each beyond a fixed base, and a restart in
// under 30 seconds, from a checkpoint and from the log alone.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "futurerand/collector/log/file_store.hpp"
#include "futurerand/collector/writer/commit_batch.hpp"
#include "futurerand/collector/writer/state_checkpoint.hpp"
#include "futurerand/collector/writer/writer.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kClients = 10'000'000;
constexpr std::uint64_t kBatch = 50'000;

std::uint64_t resident_bytes() {
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

ClientId client(std::uint64_t number) {
  std::mt19937_64 random(number);
  ClientId id;
  for (std::size_t i = 0; i < 16; i += 8) {
    const std::uint64_t word = random();
    for (std::size_t j = 0; j < 8; ++j)
      id.bytes[i + j] = static_cast<std::uint8_t>(word >> (8 * j));
  }
  return id;
}

TEST(TenMillion, FitAndRestart) {
  const test::TemporaryFolder folder;
  StoreOptions options;
  options.folder = folder.path();
  Sums expected = [&] {
    Result<std::unique_ptr<FileStore>> store = FileStore::open(options);
    EXPECT_TRUE(store);
    State state({1, 2});
    EXPECT_TRUE((*store)->replay(0, [](std::uint64_t, std::string_view) { return Status(); }));
    std::uint64_t sequence = 0;
    const auto append = [&](const CommitBatch& group) {
      EXPECT_EQ((*store)->append(++sequence, group.bytes()).appended, Appended::kDurable);
    };
    CommitBatch creation(state, Instant{});
    creation.create(*define_metric(
        "m",
        R"({"periods":1024,"max_changes":4,"epsilon":"1","protocol":"hybrid","clock":"manual"})",
        Instant{}));
    append(creation);
    const std::uint64_t base = resident_bytes();
    for (std::uint64_t first = 0; first < kClients; first += kBatch) {
      Batch batch;
      for (std::uint64_t c = first; c < first + kBatch; ++c) {
        batch.messages.push_back(Enrolment{client(c), 0, 1, 0});
        batch.lines.push_back(1);
      }
      CommitBatch group(state, Instant{});
      EXPECT_EQ(group.add(batch, 0, batch.messages.size()).counts.accepted, kBatch);
      append(group);
    }
    const std::uint64_t table = state.metric(0).fold.memory_bytes();
    std::printf("%.1f bytes a client in the table; the process grew by %.1f a client\n",
                static_cast<double>(table) / kClients,
                static_cast<double>(resident_bytes() - base) / kClients);
    EXPECT_LE(table, 64 * kClients);
    return state.metric(0).fold.sums();
  }();

  {
    const Stopwatch stopwatch;
    Result<std::unique_ptr<FileStore>> store = FileStore::open(options);
    ASSERT_TRUE(store) << store.error().message;
    Result<LoadedState> loaded = load_state({3, 4}, **store, **store, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    std::printf("restart from the log alone: %.1f s\n", stopwatch.seconds());
    EXPECT_LT(stopwatch.seconds(), 30);
    EXPECT_EQ(loaded->state.metric(0).fold.sums(), expected);
    const Stopwatch saving;
    Result<StateCheckpoint> checkpoint =
        StateCheckpoint::begin(loaded->state, **store, loaded->sequence);
    ASSERT_TRUE(checkpoint) << checkpoint.error().message;
    double longest = 0;
    for (bool done = false; !done;) {
      if ((*store)->is_busy()) {  // as the writer does
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      const Stopwatch slice;
      const Result<bool> cut = checkpoint->cut_slice(loaded->sequence);
      ASSERT_TRUE(cut) << cut.error().message;
      done = *cut;
      longest = std::max(longest, slice.seconds());
    }
    std::printf("checkpoint of %.0f MB: %.1f s, its longest slice %.0f ms\n",
                static_cast<double>(checkpoint->bytes()) / 1e6, saving.seconds(), 1e3 * longest);
  }
  {
    const Stopwatch stopwatch;
    Result<std::unique_ptr<FileStore>> store = FileStore::open(options);
    ASSERT_TRUE(store) << store.error().message;
    Result<LoadedState> loaded = load_state({5, 6}, **store, **store, say_nothing);
    ASSERT_TRUE(loaded) << loaded.error().message;
    std::printf("restart from a checkpoint: %.1f s\n", stopwatch.seconds());
    EXPECT_LT(stopwatch.seconds(), 30);
    EXPECT_EQ(loaded->state.metric(0).fold.sums(), expected);
    EXPECT_EQ(loaded->state.metric(0).fold.num_clients(), kClients);
  }
}

}  // namespace
}  // namespace futurerand
