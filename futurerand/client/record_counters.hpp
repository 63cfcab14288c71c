// RecordCounters: a MonotonicCounter for every record of a folder, over one counter in hardware.
// The record "counter" has the generation of each record, and the value of the hardware at which it
// counts. An older copy of the folder has an older "counter" record, and the hardware knows it.
//
// raise() saves the record with the next value, and then steps the hardware. A crash between the
// two leaves a record that is one ahead: it counts, and the hardware follows. If the record is gone
// while the hardware has counted, the folder is from before: it is refused.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "futurerand/client/monotonic_counter.hpp"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// One counter that no backup brings back, such as a TPM's.
class HardwareCounter {
 public:
  virtual ~HardwareCounter() = default;
  // Tells it from other counters of this machine, in at most 64 bytes.
  virtual std::string name() const = 0;
  // Returns its value, or nothing if it never counted.
  virtual Result<std::optional<std::uint64_t>> read() = 0;
  // Makes it if need be, and returns its next value: one more, or any if it never counted.
  virtual Result<std::uint64_t> increment() = 0;
};

class RecordCounters final : public MonotonicCounter {
 public:
  // Takes up the counters of this store, before anything else reads it. Both must outlive this.
  // kDamaged for an old copy, and for another counter than before.
  Status open(StateStore& store, HardwareCounter& hardware);

  Result<std::uint64_t> read(std::string_view record) override;
  Status raise(std::string_view record, std::uint64_t value) override;

 private:
  Status save(std::uint64_t value);
  // Steps the hardware to this value.
  Status step(std::uint64_t value);

  StateStore* store_ = nullptr;  // null until it is open, and after it failed
  HardwareCounter* hardware_ = nullptr;
  std::uint64_t value_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> generations_;
};

}  // namespace futurerand
