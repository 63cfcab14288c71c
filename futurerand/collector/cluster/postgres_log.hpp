// PostgresLog: the log and the checkpoints of one shard in its database, for the owner of one
// epoch. Every append and every checkpoint is a compare-and-swap on the shard's row. An owner of an
// ended epoch changes nothing, however late it wakes up.
//
// Thread safety: one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/append_groups.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"
#include "futurerand/collector/log/log.hpp"

namespace futurerand {

class PostgresLog final : public Log, public Checkpoints {
 public:
  // Makes `owner` the owner of a shard that is free, already owned by it, or has an expired lease.
  // `expired` is the row seen for a whole lease, and must still be the same. The epoch rises by 1.
  // Once this is durable, so is everything appended before, and no late append can follow. kBusy if
  // somebody else owns it, kUnreachable if the outcome is unknown. The database outlives the log.
  static Result<PostgresLog> take(Database& database, std::uint32_t shard, const std::string& owner,
                                  const std::string& address, const ShardRow& expired = {});
  // Releases it for anyone at once.
  Status release();

  std::uint64_t epoch() const { return epoch_; }
  // Returns the bytes of groups appended here. Any thread may ask.
  std::uint64_t appended_bytes() const { return *appended_bytes_; }

  Status replay(std::uint64_t after, const Log::Visit& visit) override;
  AppendResult append(std::uint64_t sequence, std::string_view group) override;
  AppendResult confirm() override { return append(last_sequence_, {}); }
  // The same in two steps, to append groups of several shards at once.
  ShardGroup next_group(std::uint64_t sequence, std::string_view group) const {
    return {shard_, epoch_, sequence, group};
  }
  AppendResult result_of(const ShardGroup& group, const SqlReply& reply);
  Status recover() override;

  std::vector<std::uint64_t> sequences() const override;
  Status read(std::uint64_t sequence, const VisitPiece& visit) override;
  Status begin(std::uint64_t sequence) override;
  Status put(const CheckpointPiece& piece) override;
  Result<bool> commit() override;
  Status forget_older() override;

 private:
  PostgresLog(Database& database, std::uint32_t shard, std::uint64_t epoch,
              std::uint64_t last_sequence, std::vector<std::uint64_t> checkpoints)
      : database_(&database),
        shard_(shard),
        epoch_(epoch),
        last_sequence_(last_sequence),
        checkpoints_(std::move(checkpoints)) {}
  Status flush();
  // True if the current checkpoint is already valid.
  bool is_there() const { return !checkpoints_.empty() && checkpoints_.front() == begun_; }
  std::string place() const { return database_->name() + ", shard " + std::to_string(shard_); }

  Database* database_;
  std::uint32_t shard_;
  std::uint64_t epoch_;
  std::uint64_t last_sequence_;             // the last durable one
  std::vector<std::uint64_t> checkpoints_;  // newest first
  std::size_t no_room_for_ = 0;             // size of the last group without room
  std::shared_ptr<std::atomic<std::uint64_t>> appended_bytes_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  // The checkpoint being written. Pieces are small and many, so a row has several.
  std::uint64_t begun_ = 0;
  std::uint32_t rows_ = 0;
  std::string pieces_;
};

}  // namespace futurerand
