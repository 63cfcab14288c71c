// DataFolder: the folder of a collector, version 2: which files it may hold, and that one process
// at a time has it.
//   FORMAT          the version, one line; written last when a folder is made
//   LOCK            held by the process that runs
//   mark            how far the log reached at least (mark.hpp)
//   log-N           groups from number N on (log_file.hpp)
//   checkpoint-N    the state after group N (checkpoint_file.hpp)
//   version-1/      what a folder of version 1 held before it was upgraded
//   before-repair-N/ what the folder held before --repair
//   *.new           was being made when a process ended: means nothing
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "futurerand/collector/log/file.hpp"

namespace futurerand {

using SayLine = std::function<void(const std::string& line)>;

class DataFolder {
 public:
  // Makes the folder if nothing is there, locks it, upgrades version 1, and refuses what is neither
  // empty nor of a known version. Leaves a folder with FORMAT and a mark.
  static Result<DataFolder> open(const std::filesystem::path& path, const SayLine& say);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path mark() const { return path_ / "mark"; }
  std::filesystem::path log(std::uint64_t first) const;
  std::filesystem::path checkpoint(std::uint64_t sequence) const;

  // By rising number.
  std::vector<std::uint64_t> logs() const { return numbered("log-"); }
  std::vector<std::uint64_t> checkpoints() const { return numbered("checkpoint-"); }
  // What is left of files that never got their name.
  void remove_unpublished() const;
  // Copies everything but older copies into a new before-repair-N; returns its name.
  Result<std::string> copy_before_repair() const;
  // Bytes that may still be written, as the file system sees it.
  std::uint64_t free_bytes() const;

 private:
  DataFolder(std::filesystem::path path, File lock);
  std::vector<std::uint64_t> numbered(std::string_view prefix) const;
  // Nothing that anyone was promised is in it: new, or a first start did not get to its end.
  bool is_unborn() const;
  Status make() const;
  Status check_version() const;

  std::filesystem::path path_;
  File lock_;
};

}  // namespace futurerand
