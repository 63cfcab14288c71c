// ShardKeeper: this collector's shards in one database. It renews leases, takes free shards up to
// its share, and hands over the surplus. It drops lost shards and follows the counts of the other
// collectors. Leases only avoid useless fights. The log prevents loss and double counting
// (postgres_log.hpp).
//
// Thread safety: all of it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/lease_watch.hpp"
#include "futurerand/collector/cluster/owned_shard.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"
#include "futurerand/collector/cluster/sums_table.hpp"
#include "futurerand/collector/log/event.hpp"

namespace futurerand {

// The number of collectors that share the shards, and this one's place among them, from 0. A number
// of 0 means no shards for this one.
struct alignas(8) Share {  // one word: read and written at once
  std::uint32_t of = 1;
  std::uint32_t rank = 0;
};

struct KeeperOptions {
  std::string owner;    // unique to this process
  std::string address;  // its address for the others
  std::uint32_t lease_ms = 10'000;
  WriterOptions writer;
  HashKey key;
  Say say;
  std::function<Share()> share;
  std::function<void()> handed_over;  // called when a shard was released
};

class ShardKeeper {
 public:
  // Both outlive the keeper.
  ShardKeeper(const KeeperOptions& options, Database& database, const Catalogue& catalogue);
  ~ShardKeeper();
  ShardKeeper(const ShardKeeper&) = delete;
  ShardKeeper& operator=(const ShardKeeper&) = delete;

  // Returns a shard owned and not lost by this collector, or the address of another owner, or
  // neither.
  struct Place {
    std::shared_ptr<OwnedShard> shard = nullptr;
    std::string address = {};
  };
  Place place_of(std::uint32_t shard) const;
  std::vector<std::shared_ptr<OwnedShard>> owned() const;
  // Returns the known counts, by shard.
  std::map<std::uint32_t, ShardSums> sums() const;
  // Returns a time of the cluster's clock: everything counted by then is in the sums.
  Instant as_of() const;
  // Returns the rows of the last read, and its time.
  std::vector<ShardRow> rows() const;
  std::chrono::steady_clock::time_point read_at() const;
  // Returns for how long the database has not answered an append.
  std::chrono::milliseconds stalled() const { return lane_.stalled(); }

  // Reads the rows now, without waiting for the next turn.
  void look();
  // True if the database answered the last time.
  bool answers() const { return answers_; }

  // Hands over all shards and accepts no new ones.
  void leave();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void keep();  // a thread: leases, rows and sums
  void tend();  // a thread: takes and hands over shards, possibly slowly
  void renew();
  void read_rows();
  void drop_lost();
  void exchange_sums();
  // Stores the counts of an owner in this process.
  void keep_newer(OwnedShard& shard);
  // Returns this collector's share of this database's shards.
  std::size_t wanted() const;
  // Does the next task; returns false if there is none.
  bool tend_once();
  // Requires loading_.
  void take(std::uint32_t shard);
  void load(std::uint32_t shard);
  void hand_over(std::uint32_t shard);
  void hand_over_all();
  void told(const Status& status);
  // Waits for this time, or until the count changes; returns false if the keeper stops.
  bool pause(std::chrono::milliseconds time, const std::uint64_t& count, std::uint64_t seen);

  const KeeperOptions options_;
  const std::chrono::milliseconds tick_;
  Database& database_;
  ShardLane lane_;
  const Catalogue& catalogue_;

  std::chrono::steady_clock::time_point renewed_{};
  LeaseWatch leases_;                 // only for the thread of keep()
  std::atomic<bool> answers_ = true;  // the database answered last time

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool leaving_ = false;
  std::uint64_t looks_ = 0;  // requested ones
  std::uint64_t reads_ = 0;  // of the rows
  std::map<std::uint32_t, std::shared_ptr<OwnedShard>> owned_;
  std::optional<std::uint32_t> loading_;  // being taken, not yet in owned_
  std::map<std::uint32_t, ShardRow> rows_;
  std::chrono::steady_clock::time_point read_at_{};
  Instant rows_at_{};  // the same by the cluster's clock
  // Shards that failed to load: others come first.
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> not_before_;
  std::map<std::uint32_t, ShardSums> sums_;

  std::thread keeping_;
  std::thread tending_;
};

}  // namespace futurerand
