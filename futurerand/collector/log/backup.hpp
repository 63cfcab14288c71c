// A copy of a data folder while a collector uses it: the newest checkpoint and the log after it, up
// to a commit made durable after the start of copying. Checkpoints never change and the log only
// grows, so neither side waits. The copied files are verified by their checksums, and copied again
// if the collector was faster. Copying leaves most of the disk's time for the collector's syncs.
//
// A backup is a data folder with one more file, BACKUP, a list of its files:
//   futurerand backup 1
//   group 812
//   file checkpoint-00000000000000000640 23412 9ae4f1c2     size, checksum
//
// Thread safety: one call at a time for one folder of backups.
#pragma once

#include <cstdint>
#include <filesystem>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct BackupSummary {
  std::uint64_t last_group = 0;
  std::uint64_t bytes = 0;
};

// The backup includes everything acknowledged before the call. `to` must be empty or missing.
Result<BackupSummary> back_up(const std::filesystem::path& data, const std::filesystem::path& to);

// Makes a data folder with the exact bytes of a backup. `data` must be empty or missing. Damage in
// the backup is an error, and no collector starts from the folder left behind.
Result<BackupSummary> restore_backup(const std::filesystem::path& from,
                                     const std::filesystem::path& data);

}  // namespace futurerand
