// DataFolder: the folder of a collector, version 1. It defines the allowed files, and ensures that
// only one process at a time uses the folder.
//   FORMAT          the version, one line; written last when a folder is made
//   LOCK            held by the running process
//   high_water_mark a lower bound of the log's last commit (high_water_mark.hpp)
//   log-N           commits from number N on (log_file.hpp)
//   checkpoint-N    the state after commit N (checkpoint_file.hpp)
//   before-repair-N/ the folder's files before --repair
//   *.new           an unfinished file of an ended process: ignored
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
// The files of a data folder, by rising number. Another process may be using the folder.
struct FolderFiles {
  std::vector<std::uint64_t> logs;
  std::vector<std::uint64_t> checkpoints;
};
Result<FolderFiles> list_folder(const std::filesystem::path& folder);

// Returns the content of FORMAT.
std::string folder_format();
// Fails unless FORMAT has this version. If FORMAT names a futurerand version able to read the
// folder, the error does too.
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
  // Removes unfinished files.
  void remove_unpublished() const;
  // Copies everything but older copies into a new before-repair-N; returns its name.
  Result<std::string> copy_before_repair() const;
  // Free bytes, as reported by the file system.
  std::uint64_t free_bytes() const;

 private:
  DataFolder(std::filesystem::path path, File lock);
  // True if the folder holds no promised data: it is new, or its first start did not finish.
  bool is_unborn() const;
  Status make() const;
  Status check_version() const;

  std::filesystem::path path_;
  File lock_;
};

}  // namespace futurerand
