#include "futurerand/collector/cluster/shard_row.hpp"

namespace futurerand {
namespace {

const std::string kRecent =
    "(abs(extract(epoch FROM clock_timestamp() - renewed_at)) * 1000 <= $1::int)::text";

Error row_error(const SqlReply& reply) {
  return {reply.message,
          reply.ran == Ran::kUnknown ? ErrorCode::kUnreachable : ErrorCode::kInvalid};
}

}  // namespace

Result<std::vector<ShardRow>> read_shards(Database& database, std::uint32_t lease_ms) {
  const SqlReply reply = database.run(
      "SELECT shard::text, last_sequence::text, epoch::text, owner, address, renewals::text, " +
          kRecent +
          ", sums_sequence::text, checkpoint_sequence::text, sums_version::text, sums_at::text "
          "FROM shard ORDER BY shard.shard",
      {lease_ms});
  if (!reply.done()) return row_error(reply);
  std::vector<ShardRow> rows;
  for (const std::vector<std::string>& row : reply.rows) {
    rows.push_back({static_cast<std::uint32_t>(std::stoul(row[0])), std::stoull(row[1]),
                    std::stoull(row[2]), row[3], row[4], std::stoull(row[5]), row[6] == "true",
                    false, std::stoull(row[7]), std::stoull(row[8]), std::stoull(row[9]),
                    Instant(std::chrono::milliseconds(std::stoll(row[10])))});
  }
  return rows;
}

Status renew_shards(Database& database, const std::string& owner,
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
      "shard = ANY($2::int[]) ORDER BY shard FOR UPDATE) UPDATE shard SET "
      "renewals = shard.renewals + 1, renewed_at = clock_timestamp() "
      "FROM ours WHERE shard.shard = ours.shard AND shard.owner = $1",
      {owner, list});
  if (!reply.done()) return row_error(reply);
  return {};
}

Result<std::vector<CollectorRow>> read_collectors(Database& database, std::uint32_t lease_ms) {
  const SqlReply reply = database.run("SELECT owner, address, draining::text, renewals::text, " +
                                          kRecent + " FROM collector ORDER BY address",
                                      {lease_ms});
  if (!reply.done()) return row_error(reply);
  std::vector<CollectorRow> rows;
  for (const std::vector<std::string>& row : reply.rows) {
    rows.push_back({row[0], row[1], row[2] == "true", std::stoull(row[3]), row[4] == "true"});
  }
  return rows;
}

Result<bool> renew_collector(Database& database, const std::string& owner,
                             const std::string& address, const CollectorRow& expired) {
  const SqlReply reply = database.run(
      "INSERT INTO collector(owner, renewed_at, address) VALUES ($1, clock_timestamp(), $2) "
      "ON CONFLICT (address) DO UPDATE SET owner = excluded.owner, "
      "renewals = collector.renewals + 1, renewed_at = excluded.renewed_at, "
      "draining = collector.draining AND collector.owner = excluded.owner "
      "WHERE collector.owner = excluded.owner "
      "OR (collector.owner = $3 AND collector.renewals = $4::bigint)",
      {owner, address, expired.owner, expired.renewals});
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

Result<ClockRow> read_clock(Database& database) {
  const SqlReply reply = database.run(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text, trusted_ms::text, "
      "confirmations::text FROM clock");
  if (!reply.done()) return row_error(reply);
  const std::vector<std::string>& row = reply.rows.at(0);
  return ClockRow{Instant(std::chrono::milliseconds(std::stoll(row[0]))),
                  Instant(std::chrono::milliseconds(std::stoll(row[1]))), std::stoull(row[2])};
}

Status trust_time(Database& database, Instant time) {
  const SqlReply reply =
      database.run("UPDATE clock SET trusted_ms = $1::bigint", {time.time_since_epoch().count()});
  return reply.done() ? Status() : Status(row_error(reply));
}

Status add_confirmation(Database& database) {
  const SqlReply reply = database.run("UPDATE clock SET confirmations = confirmations + 1");
  return reply.done() ? Status() : Status(row_error(reply));
}

Result<std::int64_t> database_time(Database& database) {
  const SqlReply reply =
      database.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text");
  if (!reply.done()) return row_error(reply);
  return std::stoll(reply.rows[0][0]);
}

}  // namespace futurerand
