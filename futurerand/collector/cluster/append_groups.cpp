#include "futurerand/collector/cluster/append_groups.hpp"

#include <algorithm>
#include <string>

#include "futurerand/collector/cluster/sql_array.hpp"

namespace futurerand {
namespace {

// Rows are locked in the order of their numbers: two statements never wait for each other. Locking
// is a write, so that confirming an epoch waits for the synchronous standby as an append does. A
// primary that was replaced cannot confirm anything.
const std::string kAppend =
    "WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], "
    "$4::bytea[]) AS asked(shard, epoch, sequence, bytes)), "
    "locked AS MATERIALIZED (SELECT shard.shard, shard.epoch FROM shard WHERE shard.shard = "
    "ANY($1::int[]) "
    "ORDER BY shard.shard FOR UPDATE), "
    "confirmed AS (SELECT asked.shard FROM asked JOIN locked ON locked.shard = asked.shard "
    "WHERE asked.bytes = '' AND locked.epoch = asked.epoch), "
    "moved AS (UPDATE shard SET last_sequence = asked.sequence FROM asked, locked "
    "WHERE shard.shard = locked.shard AND asked.shard = shard.shard AND asked.bytes <> '' "
    "AND shard.epoch = asked.epoch AND shard.last_sequence = asked.sequence - 1 "
    "RETURNING shard.shard), "
    "written AS (INSERT INTO log(shard, sequence, bytes) SELECT asked.shard, asked.sequence, "
    "asked.bytes FROM asked JOIN moved ON moved.shard = asked.shard) "
    "SELECT moved.shard::text FROM moved UNION ALL SELECT confirmed.shard::text FROM confirmed";

}  // namespace

std::vector<SqlReply> append_groups(Database& database, const std::vector<ShardGroup>& groups) {
  SqlArray shards(SqlArray::Type::kInt4);
  SqlArray epochs(SqlArray::Type::kInt8);
  SqlArray sequences(SqlArray::Type::kInt8);
  SqlArray bytes(SqlArray::Type::kBytea);
  std::size_t size = 0;
  for (const ShardGroup& group : groups) size += group.bytes.size() + sizeof(std::uint32_t);
  bytes.reserve(size);
  for (const ShardGroup& group : groups) {
    shards.add(group.shard);
    epochs.add(group.epoch);
    sequences.add(group.sequence);
    bytes.add(group.bytes);
  }
  const SqlReply all = database.run_prepared(
      kAppend, {shards.value(), epochs.value(), sequences.value(), bytes.value()});
  std::vector<SqlReply> replies;
  for (const ShardGroup& group : groups) {
    const std::string shard = std::to_string(group.shard);
    const bool moved = std::any_of(all.rows.begin(), all.rows.end(),
                                   [&](const auto& row) { return row[0] == shard; });
    replies.push_back({all.ran, all.message, all.state, moved ? 1U : 0U, {}});
  }
  return replies;
}

}  // namespace futurerand
