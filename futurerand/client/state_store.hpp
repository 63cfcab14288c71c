// StateStore: the storage of a device's records; each record is replaced as a whole. An application
// may supply its own store. Its duties are listed here, because privacy depends on them.
//
// Records are read and replaced through a RecordLease, one at a time for each record. Two handles
// on one state would randomize the same index twice.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/monotonic_counter.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

using Bytes = std::vector<std::uint8_t>;

class RecordLease;

class StateStore {
 public:
  // An optional counter must outlive the store.
  explicit StateStore(MonotonicCounter* counter = nullptr);
  virtual ~StateStore() = default;
  // Leases stay with their store: a copy has none.
  StateStore(const StateStore& other) : StateStore(other.counter_) {}
  StateStore& operator=(const StateStore&) = delete;

  // Gives the only lease of this record, until the lease is destroyed; this must happen before the
  // store is destroyed. Fails with kBusy while somebody else has the lease, and in a process forked
  // from the store's.
  Result<RecordLease> lease(std::string_view record);

  // For the lease and for tests. An implementation promises:
  // Returns the last saved bytes under this name, or nothing if none were ever saved. An existing
  // but unreadable record is an error, never nothing.
  virtual Result<std::optional<Bytes>> load(std::string_view record) = 0;
  // On success the bytes survive a crash. On failure the record is whole: the old or the new one.
  virtual Status save(std::string_view record, std::span<const std::uint8_t> bytes) = 0;
  // Returns the names of all saved records; extra names are allowed.
  virtual Result<std::vector<std::string>> names() = 0;

 private:
  friend class RecordLease;

  MonotonicCounter* counter_;
  std::int64_t process_;
  std::set<std::string, std::less<>> leased_;
};

// This is for simulations and tests; copying it is a backup.
class MemoryStateStore final : public StateStore {
 public:
  using StateStore::StateStore;

  Result<std::optional<Bytes>> load(std::string_view record) override {
    const auto found = records_.find(record);
    if (found == records_.end()) return std::optional<Bytes>();
    return std::optional<Bytes>(found->second);
  }
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    records_.insert_or_assign(std::string(record), Bytes(bytes.begin(), bytes.end()));
    return {};
  }
  Result<std::vector<std::string>> names() override {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : records_) names.push_back(name);
    return names;
  }

  const std::map<std::string, Bytes, std::less<>>& records() const { return records_; }

 private:
  std::map<std::string, Bytes, std::less<>> records_;
};

}  // namespace futurerand
