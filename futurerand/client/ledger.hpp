// Ledger: the epsilon of every metric that a device ever joined, against one ceiling. It is saved
// before it is believed, and it only grows: leaving a metric gives nothing back, because what was
// sent stays sent. Sequential composition: the device's whole loss is at most the sum.
//
// The ledger lives with the device's states and is bound to them: each entry has the id under which
// the metric was joined, and a state without its entry is damage, never a fresh start. Whoever
// loses all of them is a new device. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/record_lease.hpp"
#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {

class Ledger {
 public:
  static constexpr std::size_t kMaxNameBytes = 128;

  struct Entry {
    std::string metric;
    Epsilon epsilon;
    ClientId client;
  };

  // These are what the application allows, whatever servers ask for.
  struct Limits {
    Epsilon ceiling;                         // for all metrics together
    std::optional<Epsilon> per_metric = {};  // and for each of them
  };

  // The store must outlive the ledger, of which there is one at a time: kBusy otherwise. kDamaged
  // if the store has the state of a metric that the ledger does not know.
  static Result<Ledger> open(StateStore& store, const Limits& limits);
  static Result<Ledger> open(StateStore& store, Epsilon ceiling) {
    return open(store, Limits{ceiling});
  }

  // Returns the entry of a metric that was joined, or null.
  const Entry* find(std::string_view metric) const;
  // Tells whether this metric may be joined. It is refused where a limit would be passed, and for a
  // name that was ever joined, whatever its plan was then.
  Status check(std::string_view metric, Epsilon epsilon) const;
  // Asks the same, and spends: saved on success; on failure this ledger is as before.
  Status charge(std::string_view metric, Epsilon epsilon, const ClientId& client);

  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t spent_nanos() const;

 private:
  Ledger(RecordLease lease, const Limits& limits) : lease_(std::move(lease)), limits_(limits) {}
  Status read(std::span<const std::uint8_t> bytes);
  // Checks that every state in the store has its entry.
  Status check_states(StateStore& store) const;

  RecordLease lease_;
  Limits limits_;
  std::vector<Entry> entries_;
};

}  // namespace futurerand
