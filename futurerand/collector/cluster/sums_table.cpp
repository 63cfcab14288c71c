#include "futurerand/collector/cluster/sums_table.hpp"

#include <algorithm>
#include <chrono>

#include "futurerand/collector/cluster/sums_bytes.hpp"

namespace futurerand {
namespace {

constexpr std::chrono::seconds kSumsInterval{1};
// While a shard is busy its rows are written this often at least.
constexpr std::chrono::seconds kMaxSumsInterval{30};
constexpr std::uint64_t kLogShare = 10;
constexpr std::uint64_t kDeletedVersion = UINT64_MAX;

}  // namespace

Status write_sums(Database& database, OwnedShard& shard) {
  SumsWritten& written = shard.sums_written;
  const auto now = std::chrono::steady_clock::now();
  if (shard.is_lost() || now - written.at < kSumsInterval) return {};
  const std::shared_ptr<const Snapshot> snapshot = shard.writer().snapshot();
  if (snapshot->sequence <= written.sequence) return {};
  const bool is_idle = snapshot->sequence == written.seen;
  written.seen = snapshot->sequence;
  const std::uint64_t appended = shard.appended_bytes() - written.appended_bytes;
  if (!is_idle && appended < kLogShare * written.bytes && now - written.at < kMaxSumsInterval) {
    return {};
  }
  written.versions.resize(snapshot->metrics.size());
  std::uint64_t bytes = 0;
  for (std::uint32_t number = 0; number < snapshot->metrics.size(); ++number) {
    const auto& metric = snapshot->metrics[number];
    if (metric == nullptr) {
      if (written.versions[number] == kDeletedVersion) continue;
      const SqlReply gone = database.run(
          "DELETE FROM sums WHERE shard = $1::int AND metric = $2::int", {shard.shard(), number});
      if (!gone.done()) return Error{gone.message, ErrorCode::kUnreachable};
      written.versions[number] = kDeletedVersion;
      continue;
    }
    if (written.versions[number] == metric->version) continue;
    const std::string row = to_bytes(metric->definition->plan, metric->sums);
    const SqlReply reply = database.run(
        "INSERT INTO sums(shard, metric, sequence, bytes) VALUES ($1::int, $2::int, $3::bigint, "
        "$4::bytea) ON CONFLICT (shard, metric) DO UPDATE SET sequence = excluded.sequence, "
        "bytes = excluded.bytes WHERE sums.sequence < excluded.sequence",
        {shard.shard(), number, snapshot->sequence, SqlValue::bytes(row)});
    if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
    written.versions[number] = metric->version;
    bytes += row.size();
  }
  const SqlReply reply = database.run(
      "UPDATE shard SET sums_sequence = $2::bigint WHERE shard = $1::int AND "
      "sums_sequence < $2::bigint",
      {shard.shard(), snapshot->sequence});
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  written.sequence = snapshot->sequence;
  written.appended_bytes = shard.appended_bytes();
  written.bytes = bytes;
  written.at = now;
  return {};
}

Status read_sums(Database& database, std::uint32_t shard, const CatalogueMetrics& metrics,
                 ShardSums& known) {
  const SqlReply reply = database.run(
      "SELECT metric::text, sequence::text, bytes, (SELECT sums_sequence FROM shard WHERE "
      "shard = $1::int)::text FROM sums WHERE shard = $1::int AND sequence > $2::bigint",
      {shard, known.sequence});
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  ShardSums after = known;
  bool has_all = true;
  for (const std::vector<std::string>& row : reply.rows) {
    const std::size_t number = std::stoul(row[0]);
    if (number >= metrics.size()) {
      has_all = false;
      continue;
    }
    Result<Sums> sums = parse_sums_bytes(metrics[number].definition->plan, row[2]);
    if (!sums) {
      return Error{database.name() + ", shard " + std::to_string(shard) + ", metric " + row[0] +
                       ": " + sums.error().message,
                   ErrorCode::kDamaged};
    }
    if (after.metrics.size() <= number) after.metrics.resize(number + 1);
    after.metrics[number] = std::make_shared<const Sums>(*std::move(sums));
    if (has_all) after.sequence = std::max<std::uint64_t>(after.sequence, std::stoull(row[3]));
  }
  if (!has_all) after.sequence = known.sequence;
  known = std::move(after);
  return {};
}

ShardSums sums_of(OwnedShard& shard) {
  const std::shared_ptr<const Snapshot> snapshot = shard.writer().snapshot();
  ShardSums sums{snapshot->sequence, {}};
  for (const auto& metric : snapshot->metrics) {
    sums.metrics.push_back(metric == nullptr ? nullptr
                                             : std::shared_ptr<const Sums>(metric, &metric->sums));
  }
  return sums;
}

}  // namespace futurerand
