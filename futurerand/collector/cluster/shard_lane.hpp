// ShardLane: one thread that drives the writers of all shards that this collector owns in one
// database. Waiting requests are applied, appended by one statement, and answered together.
// Requests that arrive meanwhile form the next round. So all requests of a round share the cost of
// one round trip and one commit.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "futurerand/collector/cluster/append_groups.hpp"
#include "futurerand/collector/cluster/postgres_log.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

class ShardLane {
 public:
  // One shard in the lane; it outlives its stay there. Only the lane uses its members.
  struct Seat {
    Writer* writer = nullptr;
    PostgresLog* log = nullptr;
    bool entered = false;
    bool waits = false;  // it is queued
    std::chrono::steady_clock::time_point tidied = {};
  };

  // The database outlives the lane. `die` ends the process if its thread fails.
  ShardLane(Database& database, std::function<void(const std::string& line)> die);
  ~ShardLane();
  ShardLane(const ShardLane&) = delete;
  ShardLane& operator=(const ShardLane&) = delete;

  Database& database() { return database_; }

  void enter(Seat& seat);
  // Returns once none of its requests is in progress. Must not be called from an answer of the
  // writer.
  void leave(Seat& seat);
  // A request waits for this shard's writer. It has no effect before the shard enters.
  void wake(Seat& seat);

  // Returns for how long the database has not answered.
  std::chrono::milliseconds stalled() const { return stall_.waiting(); }

 private:
  using SteadyClock = std::chrono::steady_clock;
  using Seats = std::vector<Seat*>;

  void run();
  // Waits for work, for a limited time. The lock must be held.
  void wait(std::unique_lock<std::mutex>& lock);
  // Returns the shards with upkeep due between groups. The lock must be held.
  Seats next_tidying();
  void play(const Seats& round);
  void append(const Seats& begun);
  void queue(Seat& seat);

  Database& database_;
  const std::function<void(const std::string& line)> die_;
  StallWatch stall_;
  SteadyClock::duration append_cost_{};  // of the last round; only the lane's thread uses it

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable rested_;
  std::deque<Seat*> seats_;   // the last tidied ones come last
  Seats waiting_;             // their turn comes
  std::deque<Seat*> untidy_;  // the first one goes on
  std::size_t requests_ = 0;  // since the last round began
  std::size_t answered_ = 0;  // in the last round
  std::size_t wake_at_ = 1;   // wakes up at this many
  std::uint64_t rounds_ = 0;
  bool playing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
