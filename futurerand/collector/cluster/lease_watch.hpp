// LeaseWatch: finds expired leases. A holder counts its renewals in the database. A lease has
// expired if this counter stays unchanged for one lease by the observer's steady clock. The
// database's clock is not used: a promoted standby may be minutes off.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace futurerand {

class LeaseWatch {
 public:
  using Clock = std::chrono::steady_clock;
  // Unchanged until somebody renews the lease.
  struct Seen {
    std::string owner;
    std::uint64_t epoch = 0;
    std::uint64_t renewals = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  explicit LeaseWatch(std::chrono::milliseconds lease) : lease_(lease) {}

  // True if the lease of `name` runs, given its row in the database. A lease seen for the first
  // time runs.
  bool runs(const std::string& name, Seen seen, Clock::time_point now) {
    Watched& watched = watched_[name];
    if (watched.since == Clock::time_point{} || watched.seen != seen) {
      watched = {std::move(seen), now};
    }
    return now - watched.since < lease_;
  }

 private:
  struct Watched {
    Seen seen = {};
    Clock::time_point since = {};
  };

  const std::chrono::milliseconds lease_;
  std::map<std::string, Watched> watched_;
};

}  // namespace futurerand
