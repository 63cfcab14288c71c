// A copy of a data folder while a collector uses it: the newest checkpoint and the log after it, up
// to some commit that was durable once the copying had begun. Checkpoints never change and the log
// only grows, so that nobody has to wait: what is copied is read with its checksums, and copied
// again if the collector was faster. Copying leaves the disk alone most of the time, for the syncs
// of the collector.
//
// A backup is a data folder that has a list of its files besides, BACKUP:
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

// Everything that was acknowledged before the call is in it. `to` must be empty or not there.
Result<BackupSummary> back_up(const std::filesystem::path& data, const std::filesystem::path& to);

// Makes a data folder with the very bytes of a backup. `data` must be empty or not there; what is
// damaged in the backup is an error, and leaves a folder that no collector starts from.
Result<BackupSummary> restore_backup(const std::filesystem::path& from,
                                     const std::filesystem::path& data);

}  // namespace futurerand
