#include "futurerand/collector/cluster/shard_row.hpp"

namespace futurerand {
namespace {

const std::string kLease = "clock_timestamp() + $2::int * interval '1 millisecond'";

Error row_error(const SqlReply& reply) {
  return {reply.message,
          reply.ran == Ran::kUnknown ? ErrorCode::kUnreachable : ErrorCode::kInvalid};
}

}  // namespace

Result<std::vector<ShardRow>> read_shards(Database& database) {
  const SqlReply reply = database.run(
      "SELECT shard::text, last_sequence::text, epoch::text, owner, address, "
      "(lease_until >= clock_timestamp())::text, sums_sequence::text, checkpoint_sequence::text, "
      "sums_version::text, sums_at::text FROM shard ORDER BY shard.shard");
  if (!reply.done()) return row_error(reply);
  std::vector<ShardRow> rows;
  for (const std::vector<std::string>& row : reply.rows) {
    rows.push_back({static_cast<std::uint32_t>(std::stoul(row[0])), std::stoull(row[1]),
                    std::stoull(row[2]), row[3], row[4], row[5] == "true", std::stoull(row[6]),
                    std::stoull(row[7]), std::stoull(row[8]),
                    Instant(std::chrono::milliseconds(std::stoll(row[9])))});
  }
  return rows;
}

Status renew_shards(Database& database, const std::string& owner, std::uint32_t lease_ms,
                    const std::vector<std::uint32_t>& shards) {
  std::string list = "{";
  for (const std::uint32_t shard : shards) {
    if (list.size() > 1) list += ',';
    list += std::to_string(shard);
  }
  list += '}';
  // Locked in the order of their numbers, as every statement of several rows does.
  const SqlReply reply = database.run(
      "WITH ours AS MATERIALIZED (SELECT shard FROM shard WHERE owner = $1 AND "
      "shard = ANY($3::int[]) ORDER BY shard FOR UPDATE) UPDATE shard SET lease_until = " +
          kLease + " FROM ours WHERE shard.shard = ours.shard AND shard.owner = $1",
      {owner, lease_ms, list});
  if (!reply.done()) return row_error(reply);
  return {};
}

Result<std::vector<CollectorRow>> read_collectors(Database& database) {
  const SqlReply reply = database.run(
      "SELECT owner, address, (lease_until >= clock_timestamp())::text, draining::text, "
      "(extract(epoch FROM lease_until) * 1000)::bigint::text FROM collector ORDER BY address");
  if (!reply.done()) return row_error(reply);
  std::vector<CollectorRow> rows;
  for (const std::vector<std::string>& row : reply.rows) {
    rows.push_back({row[0], row[1], row[2] == "true", row[3] == "true", std::stoull(row[4])});
  }
  return rows;
}

Result<bool> renew_collector(Database& database, const std::string& owner,
                             const std::string& address, std::uint32_t lease_ms) {
  const SqlReply reply = database.run(
      "INSERT INTO collector(owner, lease_until, address) VALUES ($1, " + kLease +
          ", $3) ON CONFLICT (address) DO UPDATE SET owner = excluded.owner, "
          "lease_until = excluded.lease_until, "
          "draining = collector.draining AND collector.owner = excluded.owner "
          "WHERE collector.owner = excluded.owner OR collector.lease_until < clock_timestamp()",
      {owner, lease_ms, address});
  if (!reply.done()) return row_error(reply);
  return reply.affected > 0;
}

Status remove_collector(Database& database, const std::string& owner) {
  const SqlReply reply = database.run("DELETE FROM collector WHERE owner = $1", {owner});
  if (!reply.done()) return row_error(reply);
  return {};
}

Result<bool> drain_collector(Database& database, const std::string& address, bool draining) {
  const SqlReply reply = database.run("UPDATE collector SET draining = $2::bool WHERE address = $1",
                                      {address, draining ? "true" : "false"});
  if (!reply.done()) return row_error(reply);
  return reply.affected > 0;
}

Result<std::int64_t> database_time(Database& database) {
  const SqlReply reply =
      database.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text");
  if (!reply.done()) return row_error(reply);
  return std::stoll(reply.rows[0][0]);
}

}  // namespace futurerand
