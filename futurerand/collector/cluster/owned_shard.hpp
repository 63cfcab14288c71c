// OwnedShard: a shard while this collector owns it: its log, and a writer like that of a whole
// embedded collector.
//
// Thread safety: all of it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/postgres_log.hpp"
#include "futurerand/collector/cluster/shard_lane.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

// The progress of the table of sums for a shard.
struct SumsWritten {
  std::uint64_t sequence = 0;                // of the existing rows
  std::uint64_t seen = 0;                    // the last group at the last look
  std::uint64_t appended_bytes = 0;          // to the log, by then
  std::uint64_t bytes = 0;                   // of the rows
  std::vector<std::uint64_t> versions = {};  // by metric
  std::chrono::steady_clock::time_point at = {};
};

class OwnedShard {
 public:
  // Loads the state from the shard's log and continues from there, in a lane that outlives it.
  // `options` as for any writer. A lost log is reported here.
  static Result<std::shared_ptr<OwnedShard>> load(std::uint32_t shard, PostgresLog log,
                                                  ShardLane& lane, WriterOptions options,
                                                  const HashKey& key);
  ~OwnedShard() { stop(); }
  OwnedShard(const OwnedShard&) = delete;
  OwnedShard& operator=(const OwnedShard&) = delete;

  std::uint32_t shard() const { return shard_; }
  std::uint64_t epoch() const { return log_.epoch(); }
  Writer& writer() { return *writer_; }
  // True if the log belongs to somebody else, or if its content is unknown.
  bool is_lost() const { return lost_; }

  // Writes new metrics and clocks into the log. `done` is called once they are written or cannot be
  // written: maybe at once, maybe on the writer's thread.
  void follow(const std::shared_ptr<const CatalogueMetrics>& metrics, std::function<void()> done);
  // True if this metric was written into the log, and not deleted.
  bool knows(std::uint32_t metric) const {
    const std::shared_ptr<const Snapshot> known = writer_->snapshot();
    return metric < known->metrics.size() && known->metrics[metric] != nullptr;
  }

  // Writes waiting requests, takes a checkpoint, and releases the shard. Later requests are
  // answered kStopping.
  Status hand_over();

  // Returns the bytes of groups appended here.
  std::uint64_t appended_bytes() const { return log_.appended_bytes(); }
  // The progress of the table of sums; only its writing thread uses it.
  SumsWritten sums_written = {};

 private:
  // Writes the news of one metric.
  void follow(std::uint32_t number, const CatalogueMetric& metric, const MetricSnapshot* known,
              bool is_new, const WhenWritten& when);

  OwnedShard(std::uint32_t shard, PostgresLog log, ShardLane& lane)
      : shard_(shard), log_(std::move(log)), lane_(lane) {}
  void stop();

  const std::uint32_t shard_;
  PostgresLog log_;
  ShardLane& lane_;
  ShardLane::Seat seat_;
  std::atomic<bool> lost_ = false;
  std::mutex mutex_;
  std::shared_ptr<const CatalogueMetrics> followed_;  // all of it is in the log
  std::unique_ptr<Writer> writer_;
};

}  // namespace futurerand
