// ShardKeeper: what this collector has of the shards in one database. It renews leases, takes free
// shards up to its share, and hands over the surplus. It drops lost shards and follows the counts
// of the other collectors. Leases only avoid useless fights: that nothing is lost or counted twice
// is the log's doing (postgres_log.hpp).
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

// This says how many collectors share the shards, and which of them this one is, from 0 on; of 0
// means that it is to have none.
struct alignas(8) Share {  // one word, so that it is read and written at once
  std::uint32_t of = 1;
  std::uint32_t rank = 0;
};

struct KeeperOptions {
  std::string owner;    // this process, and no other ever
  std::string address;  // where others reach it
  std::uint32_t lease_ms = 10'000;
  WriterOptions writer;
  HashKey key;
  Say say;
  std::function<Share()> share;
  std::function<void()> handed_over;  // it is called when somebody else may take a shard
};

class ShardKeeper {
 public:
  // Both outlive the keeper.
  ShardKeeper(const KeeperOptions& options, Database& database, const Catalogue& catalogue);
  ~ShardKeeper();
  ShardKeeper(const ShardKeeper&) = delete;
  ShardKeeper& operator=(const ShardKeeper&) = delete;

  // Returns a shard that this collector owns, and did not lose, or the address of another one that
  // does; or neither.
  struct Place {
    std::shared_ptr<OwnedShard> shard = nullptr;
    std::string address = {};
  };
  Place place_of(std::uint32_t shard) const;
  std::vector<std::shared_ptr<OwnedShard>> owned() const;
  // Returns what is known to have been counted, by shard.
  std::map<std::uint32_t, ShardSums> sums() const;
  // Returns a time by the cluster's clock: what had been counted then is in the sums.
  Instant as_of() const;
  // Returns the rows that were read last, and when.
  std::vector<ShardRow> rows() const;
  std::chrono::steady_clock::time_point read_at() const;
  // Returns how long the database has not come back from an append.
  std::chrono::milliseconds stalled() const { return lane_.stalled(); }

  // Reads the rows now, and not only when it is time.
  void look();
  // Says whether the database did so when it was last asked.
  bool answers() const { return answers_; }

  // Hands over all shards and takes none any more.
  void leave();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void keep();  // a thread: leases, rows and sums
  void tend();  // a thread: takes and hands over, which may take long
  void renew();
  void read_rows();
  void drop_lost();
  void exchange_sums();
  // Keeps what an owner of this process has counted.
  void keep_newer(OwnedShard& shard);
  // Returns how many shards of this database this collector is to have.
  std::size_t wanted() const;
  // Does what is to be done next; returns false if that is nothing.
  bool tend_once();
  // Requires that it is loading_.
  void take(std::uint32_t shard);
  void load(std::uint32_t shard);
  void hand_over(std::uint32_t shard);
  void hand_over_all();
  void told(const Status& status);
  // Waits for so long, or until the count is another one; returns false if the keeper stops.
  bool pause(std::chrono::milliseconds time, const std::uint64_t& count, std::uint64_t seen);

  const KeeperOptions options_;
  const std::chrono::milliseconds tick_;
  Database& database_;
  ShardLane lane_;
  const Catalogue& catalogue_;

  std::chrono::steady_clock::time_point renewed_{};
  LeaseWatch leases_;                 // only the thread that keeps
  std::atomic<bool> answers_ = true;  // the database did, last time

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool leaving_ = false;
  std::uint64_t looks_ = 0;  // that were asked for
  std::uint64_t reads_ = 0;  // of the rows
  std::map<std::uint32_t, std::shared_ptr<OwnedShard>> owned_;
  std::optional<std::uint32_t> loading_;  // to be taken, and not yet owned_
  std::map<std::uint32_t, ShardRow> rows_;
  std::chrono::steady_clock::time_point read_at_{};
  Instant rows_at_{};  // the same by the cluster's clock
  // These shards could not be loaded: others come first.
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> not_before_;
  std::map<std::uint32_t, ShardSums> sums_;

  std::thread keeping_;
  std::thread tending_;
};

}  // namespace futurerand
