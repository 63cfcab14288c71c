// StateStore: where a device keeps its records, each replaced as a whole. An application may bring
// its own; what it must promise is written here, because privacy rests on it.
//
// Records are read and replaced through a RecordLease, of which there is one at a time for each
// record: two handles that both went on from one state would randomize the same index twice.
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
  // A counter, if there is one, must outlive the store.
  explicit StateStore(MonotonicCounter* counter = nullptr);
  virtual ~StateStore() = default;
  // Leases stay with the store that gave them: a copy has none.
  StateStore(const StateStore& other) : StateStore(other.counter_) {}
  StateStore& operator=(const StateStore&) = delete;

  // Gives the one right to this record, until the lease is destroyed, which must be before the
  // store is. Fails with kBusy while somebody has it, and in a process that was forked from the one
  // that opened the store.
  Result<RecordLease> lease(std::string_view record);

  // For the lease and for tests. An implementation promises:
  // Returns what was saved last under this name; nothing if nothing ever was. A record that exists
  // and cannot be read is an error, never nothing.
  virtual Result<std::optional<Bytes>> load(std::string_view record) = 0;
  // On success the bytes survive a crash. On failure the record is whole: the old one or the new.
  virtual Status save(std::string_view record, std::span<const std::uint8_t> bytes) = 0;
  // Returns the names of all records that were saved; it may also give names that no record has.
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
