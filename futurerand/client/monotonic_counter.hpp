// MonotonicCounter: what some platforms offer and backups do not carry: a hardware counter, or a
// keystore. With one, an old copy of a device's records that is brought back is refused; without
// one nothing on the device can tell it from the latest (docs/device-security.md says what that
// costs).
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

class MonotonicCounter {
 public:
  virtual ~MonotonicCounter() = default;
  // Returns the value that this record's counter was raised to last, or 0 if it never was.
  virtual Result<std::uint64_t> read(std::string_view record) = 0;
  // On success the value survives a crash, and no backup ever brings an earlier one back. Requires
  // a value that is not below read(record).
  virtual Status raise(std::string_view record, std::uint64_t value) = 0;
};

}  // namespace futurerand
