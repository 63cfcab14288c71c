// PostgresLog: the log and the checkpoints of one shard, in the database that holds it, for the
// owner of one epoch. Every append and every checkpoint is compare-and-swap on the shard's row: an
// owner whose epoch is over changes nothing, however late it wakes up.
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
  // Makes `owner` the owner of a shard that is free, that it owns already, or whose lease has
  // expired: `expired` is what was seen of it for a whole lease, and must still be so. Epoch + 1.
  // Once that is durable, so is all that was appended before, and nothing that is still on its way
  // can be. It is kBusy if somebody else owns it, kUnreachable if nobody knows. The database
  // outlives the log.
  static Result<PostgresLog> take(Database& database, std::uint32_t shard, const std::string& owner,
                                  const std::string& address, const ShardRow& expired = {});
  // Gives it back, for anyone to take at once.
  Status release();

  std::uint64_t epoch() const { return epoch_; }
  // Counts the bytes of groups that were appended here. Any thread may ask.
  std::uint64_t appended_bytes() const { return *appended_bytes_; }

  Status replay(std::uint64_t after, const Log::Visit& visit) override;
  AppendResult append(std::uint64_t sequence, std::string_view group) override;
  AppendResult confirm() override { return append(last_sequence_, {}); }
  // The same in two steps, for whoever appends groups of several shards at once.
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
  // Says whether the checkpoint that was begun is one that counts already.
  bool is_there() const { return !checkpoints_.empty() && checkpoints_.front() == begun_; }
  std::string place() const { return database_->name() + ", shard " + std::to_string(shard_); }

  Database* database_;
  std::uint32_t shard_;
  std::uint64_t epoch_;
  std::uint64_t last_sequence_;             // that is durable
  std::vector<std::uint64_t> checkpoints_;  // newest first
  std::size_t no_room_for_ = 0;             // bytes of the last group that did not fit
  std::shared_ptr<std::atomic<std::uint64_t>> appended_bytes_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  // These are of the checkpoint being written. Pieces are small and many: a row holds several.
  std::uint64_t begun_ = 0;
  std::uint32_t rows_ = 0;
  std::string pieces_;
};

}  // namespace futurerand
