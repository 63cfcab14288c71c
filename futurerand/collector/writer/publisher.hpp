// Publisher: makes snapshots of the state for readers. Copying sums takes a while when horizons are
// long. A busy writer therefore publishes only now and then, and copies only changed metrics.
//
// Thread safety: snapshot() from any thread, all else from the writer's.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/collector/writer/state.hpp"

namespace futurerand {

class Publisher {
 public:
  // `interval` is the minimum time between publications, except for urgent ones.
  explicit Publisher(std::chrono::milliseconds interval) : interval_(interval) {}

  // From now on a metric of this number may be counted, and is published anew.
  void changed(std::uint32_t metric);
  void all_changed(std::uint32_t num_metrics);
  // Adds to the line counts of a metric.
  void count(std::uint32_t metric, const LineCounts& more);

  // The lines of one metric are counted for another one from now on.
  void pass_lines(std::uint32_t from, std::uint32_t to);

  // Publishes the changes. If `now`, it does so at once. Otherwise it publishes only if that takes
  // a small enough share of the time.
  void publish(const State& state, std::uint64_t sequence, bool now);

  // Returns the newest, or null before the first. Only taking the pointer is locked; using it is
  // not.
  std::shared_ptr<const Snapshot> snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }

 private:
  const std::chrono::milliseconds interval_;
  std::vector<LineCounts> lines_;  // per metric
  std::vector<bool> unpublished_;  // per metric
  std::uint64_t names_version_ = 0;
  std::chrono::steady_clock::time_point last_{};
  std::chrono::steady_clock::duration cost_{};
  // A plain pointer under a lock. The atomic one of libstdc++ 12 locks too, and confuses
  // sanitizers.
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace futurerand
