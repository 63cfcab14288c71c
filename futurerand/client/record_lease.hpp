// RecordLease: the one right to read and replace a record of a StateStore.
//
// Every record carries a generation number, one more with each save. A save first looks whether the
// record is still the one that this lease read or saved last; if anybody changed it meanwhile,
// nothing is written and the lease stops for good. It also stops in a forked child, which has a
// copy of everything that the parent goes on to use.
//
// With a counter, a record that is older than the counter is refused: load() compares, and save()
// raises the counter once the record is durable. A crash between the two leaves a record that is
// one ahead, of which nothing was seen outside: it is taken.
//
// Thread safety: that of the store.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "futurerand/client/sealed.hpp"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

class RecordLease {
 public:
  RecordLease(RecordLease&& other) noexcept;
  RecordLease& operator=(RecordLease&& other) noexcept;
  ~RecordLease() { release(); }

  // Returns what the store has, and nothing if it has nothing. It is what the next save may
  // replace.
  Result<std::optional<Bytes>> load();
  // Returns what the next record to be saved must say of itself. A save that only says what a
  // collector has is not counted: an old copy of it gives the same lines again, and a counter in
  // hardware bears few steps.
  enum class Step : std::uint8_t { kCounted, kNotCounted };
  Revision next_revision(Step step = Step::kCounted) const;
  // Requires a record that was sealed with next_revision(). kBusy if somebody else changed the
  // record or the process was forked; then, and only then, stopped() is true from now on.
  Status save(const Bytes& sealed);

  bool stopped() const { return stopped_; }
  const std::string& record() const { return record_; }

 private:
  friend class StateStore;

  // This tells one saved record from all others.
  struct Identity {
    std::uint64_t generation = 0;
    Digest checksum{};
    friend bool operator==(const Identity&, const Identity&) = default;
  };

  RecordLease(StateStore& store, std::string_view record) : store_(&store), record_(record) {}
  static Identity identity_of(std::span<const std::uint8_t> bytes);
  Status check_counter(const std::optional<Bytes>& bytes);
  void release();

  StateStore* store_;
  std::string record_;
  Identity seen_;
  // A save that failed may have left its record behind.
  std::optional<Identity> attempted_;
  bool stopped_ = false;
};

}  // namespace futurerand
