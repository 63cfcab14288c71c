// FileStore: log and checkpoints in a data folder (data_folder.hpp). Every append is synced. A
// crash can leave a torn tail. It is cut off and reported. Any other damage is an error with the
// file and the place, unless the operator asked for repair. A repair first copies the folder, and
// ends the log before the damage.
//
// Thread safety: one thread at a time; free_bytes and checkpoint_time from any.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "futurerand/collector/log/checkpoint_thread.hpp"
#include "futurerand/collector/log/data_folder.hpp"
#include "futurerand/collector/log/event.hpp"
#include "futurerand/collector/log/high_water_mark.hpp"
#include "futurerand/collector/log/log.hpp"
#include "futurerand/collector/log/log_writer.hpp"

namespace futurerand {

struct StoreOptions {
  std::filesystem::path folder;
  bool keep_log = false;  // after a checkpoint too
  bool repair = false;    // drop what follows damage instead of refusing to start
  Say say = say_nothing;
};

class FileStore final : public Log, public Checkpoints {
 public:
  static Result<std::unique_ptr<FileStore>> open(const StoreOptions& options);
  ~FileStore() override;
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;

  Status replay(std::uint64_t after, const Log::Visit& visit) override;
  AppendResult append(std::uint64_t sequence, std::string_view group) override;
  Status recover() override;
  void rest() override;

  std::vector<std::uint64_t> sequences() const override;
  Status read(std::uint64_t sequence, const VisitPiece& visit) override;
  Status begin(std::uint64_t sequence) override;
  Status put(const CheckpointPiece& piece) override;
  Result<bool> commit() override;
  bool is_busy() const override { return checkpoint_ && checkpoint_->is_busy(); }
  // With keep_log the log stays, and everything in it.
  Status forget_older() override;

  std::uint64_t free_bytes() const { return folder_.free_bytes(); }
  // When the newest checkpoint was made, in seconds since 1970; 0 if there is none.
  std::int64_t checkpoint_time() const { return checkpoint_time_; }

 private:
  // The end of the readable log.
  struct End {
    std::uint64_t last = 0;  // commit
    std::size_t file = 0;    // among the files; their number if none was read
    bool readable = false;   // its header
    bool open_end = false;   // more commits may follow in it
    std::uint64_t salt = 0;
    std::uint64_t offset = 0;  // in it
    std::string damage = {};   // the damage there, if any
    std::string torn = {};     // the torn tail there, if any
  };

  FileStore(const StoreOptions& options, DataFolder folder);
  Status open_mark();
  Result<End> read_logs(const std::vector<std::uint64_t>& logs, std::uint64_t after,
                        const Log::Visit& visit) const;
  // Drops what follows the damage.
  Status repair(const FolderFiles& files, const End& end);
  Status set_high_water_mark();
  void give_up_checkpoint();
  // Removes all but the `keep` newest checkpoints, and the part of the log only they need. Runs on
  // a checkpoint's thread if there is one. Nothing else names or removes files meanwhile.
  void remove_old(std::size_t keep) const;

  const StoreOptions options_;
  DataFolder folder_;
  std::optional<HighWaterMark> high_water_mark_;
  LogWriter writer_;
  std::uint64_t last_ = 0;  // commit that is durable
  std::chrono::steady_clock::time_point marked_{};
  std::uint64_t refused_bytes_ = 0;             // of the record without room
  std::set<std::uint64_t> unreadable_;          // checkpoints
  mutable std::atomic<bool> unlisted_ = false;  // the folder could not be read
  std::string repair_copy_;
  std::atomic<std::int64_t> checkpoint_time_ = 0;
  std::optional<CheckpointThread> checkpoint_;  // under way; it ends before all else does
};

}  // namespace futurerand
