// StateStore: where a device keeps its records, each replaced as a whole. An application may bring
// its own; what it must promise is written here, because privacy rests on it.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

using Bytes = std::vector<std::uint8_t>;

class StateStore {
 public:
  virtual ~StateStore() = default;
  // What was saved last under this name; nothing if nothing ever was. A record that exists and
  // cannot be read is an error, never nothing.
  virtual Result<std::optional<Bytes>> load(std::string_view record) = 0;
  // On success the bytes survive a crash. On failure the record is whole: the old one or the new.
  virtual Status save(std::string_view record, std::span<const std::uint8_t> bytes) = 0;
};

// For simulations and tests; copying it is a backup.
class MemoryStateStore final : public StateStore {
 public:
  Result<std::optional<Bytes>> load(std::string_view record) override {
    const auto found = records_.find(record);
    if (found == records_.end()) return std::optional<Bytes>();
    return std::optional<Bytes>(found->second);
  }
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    records_.insert_or_assign(std::string(record), Bytes(bytes.begin(), bytes.end()));
    return {};
  }

  const std::map<std::string, Bytes, std::less<>>& records() const { return records_; }

 private:
  std::map<std::string, Bytes, std::less<>> records_;
};

}  // namespace futurerand
