// HighWaterMark: a lower bound of how far the log reached, kept apart from the log itself. A start
// detects missing and cut files of the log by it. Two places take turns, so that a crash leaves one
// whole; both lie in blocks of their own and are written in place, which needs no room.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "futurerand/collector/log/file.hpp"

namespace futurerand {

// Returns the higher of the two places that can be read; nothing if none can.
std::optional<std::uint64_t> read_high_water_mark(std::string_view file);

class HighWaterMark {
 public:
  // Makes a new file, durably. What was there is replaced.
  static Status create(const std::filesystem::path& path, std::uint64_t sequence);
  // Reads what is there. It is an error if there is nothing or it cannot be read.
  static Result<HighWaterMark> open(const std::filesystem::path& path);

  std::uint64_t sequence() const { return sequence_; }
  // The same without waiting for the disk: it survives the end of the process, and of the machine
  // if the disk comes to it. Cheap enough for every commit.
  void note(std::uint64_t sequence);
  // The mark is durable when this succeeds. Requires that the log is durable up to this commit.
  Status set(std::uint64_t sequence);

 private:
  HighWaterMark(std::filesystem::path path, File file, std::uint64_t sequence);

  std::filesystem::path path_;
  File file_;
  std::uint64_t sequence_;
  bool second_ = false;  // which place is next
};

}  // namespace futurerand
