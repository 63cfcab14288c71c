// DataFolder: the folder of a collector, version 1: which files it may hold, and that one process
// at a time has it.
//   FORMAT          the version, one line; written last when a folder is made
//   LOCK            held by the process that runs
//   high_water_mark how far the log reached at least (high_water_mark.hpp)
//   log-N           commits from number N on (log_file.hpp)
//   checkpoint-N    the state after commit N (checkpoint_file.hpp)
//   before-repair-N/ what the folder held before --repair
//   *.new           was being made when a process ended: means nothing
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/log/file.hpp"

namespace futurerand {

std::string log_name(std::uint64_t first);
std::string checkpoint_name(std::uint64_t sequence);
// This is what a data folder has, by rising number, also while another process has it.
struct FolderFiles {
  std::vector<std::uint64_t> logs;
  std::vector<std::uint64_t> checkpoints;
};
Result<FolderFiles> list_folder(const std::filesystem::path& folder);

// Returns what FORMAT holds.
std::string folder_format();
// Fails unless FORMAT is of this version. The error names a futurerand that can read the folder, if
// FORMAT does.
Status check_folder_format(const std::filesystem::path& folder, std::string_view format);

class DataFolder {
 public:
  // Creates the folder if nothing is there, and locks it. Rejects a folder that is neither empty
  // nor of this version. Leaves a folder with FORMAT and a high-water mark.
  static Result<DataFolder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path high_water_mark() const { return path_ / "high_water_mark"; }
  std::filesystem::path log(std::uint64_t first) const { return path_ / log_name(first); }
  std::filesystem::path checkpoint(std::uint64_t sequence) const {
    return path_ / checkpoint_name(sequence);
  }

  Result<FolderFiles> files() const { return list_folder(path_); }
  // Removes what is left of files that never got their name.
  void remove_unpublished() const;
  // Copies everything but older copies into a new before-repair-N; returns its name.
  Result<std::string> copy_before_repair() const;
  // Bytes that may still be written, as the file system sees it.
  std::uint64_t free_bytes() const;

 private:
  DataFolder(std::filesystem::path path, File lock);
  // Nothing that anyone was promised is in it: new, or a first start did not get to its end.
  bool is_unborn() const;
  Status make() const;
  Status check_version() const;

  std::filesystem::path path_;
  File lock_;
};

}  // namespace futurerand
