// HighWaterMark: a lower bound of the log's last commit, stored apart from the log. At a start it
// reveals missing or shortened log files. Two places take turns, so a crash leaves one intact. Each
// place has its own block and is written in place, so it needs no free space.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "futurerand/collector/log/file.hpp"

namespace futurerand {

// Returns the higher readable place, or nothing if neither is readable.
std::optional<std::uint64_t> read_high_water_mark(std::string_view file);

class HighWaterMark {
 public:
  // Makes a new file durably. It replaces an old one.
  static Status create(const std::filesystem::path& path, std::uint64_t sequence);
  // Reads an existing file. A missing or unreadable file is an error.
  static Result<HighWaterMark> open(const std::filesystem::path& path);

  std::uint64_t sequence() const { return sequence_; }
  // The same without waiting for the disk: it survives the end of the process, and of the machine
  // if the disk comes to it. Cheap enough for every commit.
  void note(std::uint64_t sequence);
  // If this succeeds, the mark is durable. Requires a log durable up to this commit.
  Status set(std::uint64_t sequence);

 private:
  HighWaterMark(std::filesystem::path path, File file, std::uint64_t sequence);

  std::filesystem::path path_;
  File file_;
  std::uint64_t sequence_;
  bool second_ = false;  // the next place
};

}  // namespace futurerand
