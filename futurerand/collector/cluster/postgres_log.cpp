#include "futurerand/collector/cluster/postgres_log.hpp"

#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {
namespace {

// A row of a checkpoint is written once it has this much.
constexpr std::size_t kRowBytes = 1 << 20;
// Groups that are read at once. One has a few megabytes at most.
constexpr int kGroupsAtOnce = 16;
constexpr std::string_view kDiskFull = "53100";
// Locks the shard's row for as long as it takes to write beside it.
const std::string kIfOurs =
    "WITH ours AS MATERIALIZED (SELECT shard, checkpoint_sequence, older_checkpoint FROM shard "
    "WHERE shard = $1::int AND epoch = $2::bigint FOR UPDATE) ";

std::uint64_t big_number(const std::string& text) { return std::stoull(text); }

Error not_done(const SqlReply& reply) {
  return {reply.message, reply.state == kDiskFull ? ErrorCode::kNoRoom : ErrorCode::kUnreachable};
}

}  // namespace

Result<PostgresLog> PostgresLog::take(Database& database, std::uint32_t shard,
                                      const std::string& owner, const std::string& address,
                                      const ShardRow& expired) {
  const SqlReply reply = database.run(
      "UPDATE shard SET epoch = epoch + 1, owner = $2, address = $3, "
      "renewals = renewals + 1, renewed_at = clock_timestamp() WHERE shard = $1::int "
      "AND (owner IS NULL OR owner = $2 OR "
      "(owner = $4 AND epoch = $5::bigint AND renewals = $6::bigint)) "
      "RETURNING epoch::text, last_sequence::text, checkpoint_sequence::text, "
      "older_checkpoint::text",
      {shard, owner, address, expired.owner, expired.epoch, expired.renewals});
  if (!reply.done()) return not_done(reply);
  if (reply.rows.empty()) {
    return Error{"shard " + std::to_string(shard) + " belongs to another collector",
                 ErrorCode::kBusy};
  }
  const std::vector<std::string>& row = reply.rows[0];
  std::vector<std::uint64_t> checkpoints;
  for (const std::string& sequence : {row[2], row[3]}) {
    if (sequence != "0") checkpoints.push_back(big_number(sequence));
  }
  return PostgresLog(database, shard, big_number(row[0]), big_number(row[1]),
                     std::move(checkpoints));
}

Status PostgresLog::release() {
  const SqlReply reply = database_->run(
      "UPDATE shard SET owner = NULL, address = NULL "
      "WHERE shard = $1::int AND epoch = $2::bigint",
      {shard_, epoch_});
  if (!reply.done()) return not_done(reply);
  return {};
}

Status PostgresLog::replay(std::uint64_t after, const Log::Visit& visit) {
  while (after < last_sequence_) {
    const SqlReply reply = database_->run(
        "SELECT sequence::text, bytes FROM log WHERE shard = $1::int AND sequence > $2::bigint "
        "ORDER BY log.sequence LIMIT $3::int",
        {shard_, after, kGroupsAtOnce});
    if (!reply.done()) return not_done(reply);
    for (const std::vector<std::string>& row : reply.rows) {
      if (big_number(row[0]) != after + 1) break;
      if (const Status visited = visit(after + 1, row[1]); !visited) {
        return Error{place() + ", group " + row[0] + ": " + visited.error().message,
                     ErrorCode::kDamaged};
      }
      ++after;
    }
    if (reply.rows.empty() || big_number(reply.rows.back()[0]) != after) {
      return Error{place() + ": group " + std::to_string(after + 1) + " of " +
                       std::to_string(last_sequence_) + " is missing",
                   ErrorCode::kDamaged};
    }
  }
  return {};
}

AppendResult PostgresLog::append(std::uint64_t sequence, std::string_view group) {
  const ShardGroup next = next_group(sequence, group);
  return result_of(next, append_groups(*database_, {next})[0]);
}

AppendResult PostgresLog::result_of(const ShardGroup& group, const SqlReply& reply) {
  if (reply.state == kDiskFull) {
    no_room_for_ = group.bytes.size();
    return {Appended::kNoRoom, reply.message};
  }
  // Any other answer may have come too late to undo the change.
  if (!reply.done()) return {Appended::kUnknown, reply.message};
  if (reply.affected == 0) return {Appended::kLost, place() + " belongs to another collector now"};
  if (group.bytes.empty()) return {};  // the epoch was confirmed, and nothing else
  last_sequence_ = group.sequence;
  *appended_bytes_ += group.bytes.size();
  return {};
}

// Only writing shows whether there is room. What is written is no group, and goes at once.
Status PostgresLog::recover() {
  const std::string probe(no_room_for_, '\0');
  const SqlReply written = database_->run(
      kIfOurs +
          "INSERT INTO log(shard, sequence, bytes) SELECT shard, -1, $3::bytea FROM ours "
          "ON CONFLICT (shard, sequence) DO UPDATE SET bytes = excluded.bytes",
      {shard_, epoch_, SqlValue::bytes(probe)});
  if (!written.done()) return not_done(written);
  const SqlReply gone =
      database_->run(kIfOurs +
                         "DELETE FROM log USING ours WHERE log.shard = ours.shard "
                         "AND log.sequence = -1",
                     {shard_, epoch_});
  if (!gone.done()) return not_done(gone);
  return {};
}

std::vector<std::uint64_t> PostgresLog::sequences() const { return checkpoints_; }

Status PostgresLog::read(std::uint64_t sequence, const VisitPiece& visit) {
  const Error damaged{place() + ": checkpoint " + std::to_string(sequence) + " is damaged",
                      ErrorCode::kDamaged};
  for (std::uint32_t row = 0;; ++row) {
    const SqlReply reply = database_->run(
        "SELECT bytes FROM checkpoint WHERE shard = $1::int AND sequence = $2::bigint "
        "AND piece = $3::int",
        {shard_, sequence, row});
    if (!reply.done()) return not_done(reply);
    if (reply.rows.empty()) return row > 0 ? Status{} : damaged;
    ByteReader in(reply.rows[0][0]);
    while (in.remaining() > 0) {
      CheckpointPiece piece;
      piece.number = in.varint32();
      piece.cut = in.varint();
      piece.bytes = in.take(in.varint());
      if (!in.ok()) return damaged;
      if (const Status visited = visit(piece); !visited) {
        return Error{damaged.message + ": " + visited.error().message, ErrorCode::kDamaged};
      }
    }
  }
}

Status PostgresLog::begin(std::uint64_t sequence) {
  begun_ = sequence;
  rows_ = 0;
  pieces_.clear();
  // What somebody began and did not finish. The row that is locked says what counts: it is newer
  // than the statement if it had to wait for a commit.
  const SqlReply reply = database_->run(
      kIfOurs +
          "DELETE FROM checkpoint USING ours WHERE checkpoint.shard = ours.shard AND "
          "checkpoint.sequence NOT IN (ours.checkpoint_sequence, ours.older_checkpoint)",
      {shard_, epoch_});
  if (!reply.done()) return not_done(reply);
  return {};
}

Status PostgresLog::put(const CheckpointPiece& piece) {
  if (is_there()) return {};
  put_varint(pieces_, piece.number);
  put_varint(pieces_, piece.cut);
  put_varint(pieces_, piece.bytes.size());
  pieces_ += piece.bytes;
  return pieces_.size() < kRowBytes ? Status{} : flush();
}

Status PostgresLog::flush() {
  const SqlReply reply = database_->run(
      kIfOurs +
          "INSERT INTO checkpoint(shard, sequence, piece, bytes) SELECT shard, $3::bigint, "
          "$4::int, $5::bytea FROM ours ON CONFLICT (shard, sequence, piece) "
          "DO UPDATE SET bytes = excluded.bytes",
      {shard_, epoch_, begun_, rows_, SqlValue::bytes(pieces_)});
  if (!reply.done()) return not_done(reply);
  if (reply.affected == 0) {
    return Error{place() + " belongs to another collector now", ErrorCode::kBusy};
  }
  ++rows_;
  pieces_.clear();
  return {};
}

Result<bool> PostgresLog::commit() {
  if (is_there()) return true;
  if (!pieces_.empty()) {
    if (const Status flushed = flush(); !flushed) return flushed.error();
  }
  const SqlReply reply = database_->run(
      "WITH ours AS (UPDATE shard SET older_checkpoint = checkpoint_sequence, "
      "checkpoint_sequence = $3::bigint WHERE shard = $1::int AND epoch = $2::bigint "
      "RETURNING shard, older_checkpoint), "
      "cut AS (DELETE FROM log USING ours WHERE log.shard = ours.shard "
      "AND log.sequence <= ours.older_checkpoint), "
      "gone AS (DELETE FROM checkpoint USING ours WHERE checkpoint.shard = ours.shard "
      "AND checkpoint.sequence < ours.older_checkpoint) "
      "SELECT older_checkpoint::text FROM ours",
      {shard_, epoch_, begun_}, std::chrono::seconds(60));
  if (!reply.done()) return not_done(reply);
  if (reply.rows.empty()) {
    return Error{place() + " belongs to another collector now", ErrorCode::kBusy};
  }
  checkpoints_.insert(checkpoints_.begin(), begun_);
  if (checkpoints_.size() > 2) checkpoints_.pop_back();
  return true;
}

Status PostgresLog::forget_older() {
  const SqlReply reply = database_->run(
      "WITH ours AS (UPDATE shard SET older_checkpoint = 0 WHERE shard = $1::int "
      "AND epoch = $2::bigint RETURNING shard, checkpoint_sequence), "
      "cut AS (DELETE FROM log USING ours WHERE log.shard = ours.shard "
      "AND log.sequence <= ours.checkpoint_sequence), "
      "gone AS (DELETE FROM checkpoint USING ours WHERE checkpoint.shard = ours.shard "
      "AND checkpoint.sequence < ours.checkpoint_sequence) SELECT shard::text FROM ours",
      {shard_, epoch_}, std::chrono::seconds(60));
  if (!reply.done()) return not_done(reply);
  if (reply.rows.empty()) {
    return Error{place() + " belongs to another collector now", ErrorCode::kBusy};
  }
  if (checkpoints_.size() > 1) checkpoints_.pop_back();
  return {};
}

}  // namespace futurerand
