// WriterFigures: how the writer is doing, for GET /readyz and GET /metrics.
//
// Thread safety: written by the writer, read by anyone.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace futurerand {

// A histogram of durations by upper bounds. One thread adds to it.
class LatencyCounts {
 public:
  static constexpr std::array<std::uint32_t, 10> kBoundsMs = {1,  2,   5,   10,   25,
                                                              50, 100, 250, 1000, 10'000};

  void add(std::chrono::steady_clock::duration took) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    std::size_t at = 0;
    while (at < kBoundsMs.size() && us > 1000 * static_cast<std::int64_t>(kBoundsMs[at])) ++at;
    ++counts_[at];
    total_us_ += static_cast<std::uint64_t>(us);
    if (static_cast<std::uint64_t>(us) > longest_us_) longest_us_ = static_cast<std::uint64_t>(us);
  }
  // Returns the count of bound number `at`. At kBoundsMs.size() it is the count of all longer ones.
  std::uint64_t count(std::size_t at) const { return counts_[at]; }
  std::uint64_t total_microseconds() const { return total_us_; }
  std::uint64_t longest_microseconds() const { return longest_us_; }

 private:
  std::array<std::atomic<std::uint64_t>, kBoundsMs.size() + 1> counts_{};
  std::atomic<std::uint64_t> total_us_ = 0;
  std::atomic<std::uint64_t> longest_us_ = 0;
};

struct WriterFigures {
  std::atomic<std::uint64_t> groups = 0;         // made durable
  std::atomic<std::uint64_t> waiting_bytes = 0;  // of requests
  std::atomic<bool> has_room = true;
  std::atomic<std::uint64_t> state_bytes = 0;       // memory of clients and sums
  std::atomic<std::uint64_t> checkpoint_bytes = 0;  // of the newest one
  std::atomic<std::uint64_t> log_bytes = 0;         // since it was begun
  std::atomic<std::uint64_t> refused_memory = 0;    // requests
  LatencyCounts commits;                            // of the log
  LatencyCounts slices;                             // of checkpoints
  // Between two commits, for all other work: slices, sorting departed devices, closing.
  LatencyCounts pauses;
};

// Watches for a stuck call to the disk.
class StallWatch {
 public:
  // While a Waiting exists, the writer waits for the disk.
  class Waiting {
   public:
    explicit Waiting(StallWatch& watch) : watch_(watch) { watch_.since_ = now_ms(); }
    ~Waiting() { watch_.since_ = 0; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    StallWatch& watch_;
  };

  // Returns how long the writer has been waiting by now.
  std::chrono::milliseconds waiting() const {
    const std::int64_t since = since_;
    return std::chrono::milliseconds(since == 0 ? 0 : now_ms() - since);
  }

 private:
  // It is never 0, because it counts from before the process started.
  static std::int64_t now_ms() {
    return 1 + std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
                   .count();
  }
  std::atomic<std::int64_t> since_ = 0;
};

}  // namespace futurerand
