// Ledger: the epsilon of every metric that a device ever joined, against one ceiling. It is saved
// before it is believed, and it only grows: leaving a metric gives nothing back, because what was
// sent stays sent. Sequential composition: the device's whole loss is at most the sum.
//
// The ledger lives with the device's state. Whoever loses the state is a new device.
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

class Ledger {
 public:
  static constexpr std::size_t kMaxNameBytes = 128;

  struct Entry {
    std::string metric;
    Epsilon epsilon;
  };

  // The ceiling is the application's, not a server's. The store must outlive the ledger.
  static Result<Ledger> open(StateStore& store, Epsilon ceiling);

  bool knows(std::string_view metric) const;
  // May this metric be joined? Refused where the sum would pass the ceiling, and for a name that
  // was ever joined, whatever its plan was then.
  Status check(std::string_view metric, Epsilon epsilon) const;
  // The same, and spends: saved on success; on failure this ledger is as before.
  Status charge(std::string_view metric, Epsilon epsilon);

  const std::vector<Entry>& entries() const { return entries_; }
  Epsilon ceiling() const { return ceiling_; }
  std::int64_t spent_nanos() const;

 private:
  Ledger(StateStore& store, Epsilon ceiling) : store_(&store), ceiling_(ceiling) {}

  StateStore* store_;
  Epsilon ceiling_;
  std::vector<Entry> entries_;
};

}  // namespace futurerand
