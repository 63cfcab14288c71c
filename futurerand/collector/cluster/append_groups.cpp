#include "futurerand/collector/cluster/append_groups.hpp"

#include <algorithm>
#include <concepts>
#include <string>

namespace futurerand {
namespace {

// Rows are locked in the order of their numbers: two statements never wait for each other.
const std::string kAppend =
    "WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], "
    "$4::bytea[]) AS asked(shard, epoch, sequence, bytes)), "
    "locked AS MATERIALIZED (SELECT shard.shard FROM shard WHERE shard.shard = ANY($1::int[]) "
    "ORDER BY shard.shard FOR UPDATE), "
    "moved AS (UPDATE shard SET last_sequence = asked.sequence FROM asked, locked "
    "WHERE shard.shard = locked.shard AND asked.shard = shard.shard "
    "AND shard.epoch = asked.epoch AND shard.last_sequence = asked.sequence - 1 "
    "RETURNING shard.shard), "
    "written AS (INSERT INTO log(shard, sequence, bytes) SELECT asked.shard, asked.sequence, "
    "asked.bytes FROM asked JOIN moved ON moved.shard = asked.shard) "
    "SELECT moved.shard::text FROM moved";

// PostgreSQL's numbers of types, which never change.
constexpr std::uint32_t kBytea = 17;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kInt4 = 23;

template <std::unsigned_integral Number>
void put_big_endian(std::string& bytes, Number number) {
  for (std::size_t left = sizeof(Number); left > 0; --left) {
    bytes += static_cast<char>(number >> (8 * (left - 1)));
  }
}

// An array of one dimension, as PostgreSQL sends and receives it in binary.
class BinaryArray {
 public:
  BinaryArray(std::uint32_t type, std::size_t size) {
    const std::uint32_t head[] = {1, 0, type, static_cast<std::uint32_t>(size), 1};
    for (const std::uint32_t word : head) put_big_endian(bytes_, word);
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  template <std::unsigned_integral Number>
  void add(Number number) {
    put_big_endian(bytes_, static_cast<std::uint32_t>(sizeof(Number)));
    put_big_endian(bytes_, number);
  }
  void add(std::string_view bytes) {
    put_big_endian(bytes_, static_cast<std::uint32_t>(bytes.size()));
    bytes_ += bytes;
  }
  SqlValue value() const { return SqlValue::bytes(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::vector<SqlReply> append_groups(Database& database, const std::vector<ShardGroup>& groups) {
  BinaryArray shards(kInt4, groups.size());
  BinaryArray epochs(kInt8, groups.size());
  BinaryArray sequences(kInt8, groups.size());
  BinaryArray bytes(kBytea, groups.size());
  std::size_t size = 0;
  for (const ShardGroup& group : groups) size += sizeof(std::uint32_t) + group.bytes.size();
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
