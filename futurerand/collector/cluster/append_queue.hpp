// AppendQueue: groups of several shards of one database that wait at the same time are appended by
// one statement, which is one round trip and one commit. Each group is compare-and-swap on its own
// shard's row: one that is refused does not keep the others.
//
// Thread safety: all of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"

namespace futurerand {

class AppendQueue {
 public:
  // The database outlives the queue.
  explicit AppendQueue(Database& database) : database_(database) {}
  AppendQueue(const AppendQueue&) = delete;
  AppendQueue& operator=(const AppendQueue&) = delete;

  Database& database() { return database_; }

  struct Group {
    std::uint32_t shard = 0;
    std::uint64_t epoch = 0;
    std::uint64_t sequence = 0;
    std::string_view bytes;
  };
  // Returns when it is known what became of the group: `affected` is 1 if it is there, 0 if the
  // shard has another epoch or is at another place. At most one group of a shard at a time.
  SqlReply append(const Group& group);

 private:
  struct Waiting {
    explicit Waiting(const Group& what) : group(what) {}
    const Group& group;
    SqlReply reply = {};
    bool done = false;
    std::condition_variable wake = {};
  };

  // Returns those at the front that are written together. The lock must be held.
  std::vector<Waiting*> next() const;
  void write(const std::vector<Waiting*>& together);

  Database& database_;
  std::mutex mutex_;
  std::deque<Waiting*> waiting_;  // whoever is at the front writes for those behind it
};

}  // namespace futurerand
