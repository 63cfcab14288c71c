#include "futurerand/collector/cluster/sums_table.hpp"

#include <algorithm>
#include <chrono>

namespace futurerand {
namespace {

constexpr std::chrono::seconds kSumsInterval{1};
// While a shard is busy its rows are written this often at least.
constexpr std::chrono::seconds kMaxSumsInterval{30};
constexpr std::uint64_t kLogShare = 10;
constexpr std::uint64_t kDeletedVersion = UINT64_MAX;

PartSums part_of(const std::shared_ptr<const MetricSnapshot>& metric) {
  if (metric == nullptr) return {};
  return {std::shared_ptr<const Sums>(metric, &metric->sums), metric->presence,
          metric->presence_period};
}

std::uint64_t version_of(const std::shared_ptr<const MetricSnapshot>& metric) {
  return metric == nullptr ? kDeletedVersion : metric->version;
}

}  // namespace

Status write_sums(Database& database, OwnedShard& shard, Instant time) {
  SumsWritten& written = shard.sums_written;
  const auto now = std::chrono::steady_clock::now();
  if (shard.is_lost() || now - written.at < kSumsInterval) return {};
  const std::shared_ptr<const Snapshot> snapshot = shard.writer().snapshot();
  written.versions.resize(snapshot->metrics.size());
  // Those who left follow the clock too, without any group.
  if (snapshot->sequence <= written.sequence &&
      std::equal(written.versions.begin(), written.versions.end(), snapshot->metrics.begin(),
                 [](std::uint64_t version, const auto& metric) {
                   return version == version_of(metric);
                 })) {
    return {};
  }
  const bool is_idle = snapshot->sequence == written.seen;
  written.seen = snapshot->sequence;
  const std::uint64_t appended = shard.appended_bytes() - written.appended_bytes;
  if (!is_idle && appended < kLogShare * written.bytes && now - written.at < kMaxSumsInterval) {
    return {};
  }
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
    const std::string row = to_bytes(metric->definition->plan, part_of(metric));
    const SqlReply reply = database.run(
        "INSERT INTO sums(shard, metric, sequence, clock, version, bytes) SELECT shard, $2::int, "
        "$3::bigint, $4::bigint, sums_version + 1, $5::bytea FROM shard WHERE shard = $1::int "
        "ON CONFLICT (shard, metric) DO UPDATE SET sequence = excluded.sequence, "
        "clock = excluded.clock, version = excluded.version, bytes = excluded.bytes "
        "WHERE (sums.sequence, sums.clock) < (excluded.sequence, excluded.clock)",
        {shard.shard(), number, snapshot->sequence, metric->presence_period, SqlValue::bytes(row)});
    if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
    written.versions[number] = metric->version;
    bytes += row.size();
  }
  const SqlReply reply = database.run(
      "UPDATE shard SET sums_sequence = greatest(sums_sequence, $2::bigint), "
      "sums_at = greatest(sums_at, $3::bigint), sums_version = sums_version + 1 "
      "WHERE shard = $1::int",
      {shard.shard(), snapshot->sequence, time.time_since_epoch().count()});
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  written.sequence = snapshot->sequence;
  written.appended_bytes = shard.appended_bytes();
  written.bytes = bytes;
  written.at = now;
  return {};
}

Status read_sums(Database& database, const ShardRow& shard, const CatalogueMetrics& metrics,
                 ShardSums& known) {
  // Those of the version that was read last too: another owner may have written beside it.
  const SqlReply reply = database.run(
      "SELECT metric::text, bytes FROM sums WHERE shard = $1::int AND version >= $2::bigint",
      {shard.shard, known.version});
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  ShardSums after = known;
  bool has_all = true;
  for (const std::vector<std::string>& row : reply.rows) {
    const std::size_t number = std::stoul(row[0]);
    if (number >= metrics.size()) {
      has_all = false;
      continue;
    }
    const MetricDefinition& definition = *metrics[number].definition;
    Result<PartSums> part = parse_sums_bytes(definition.plan, definition.gone_after > 0, row[1]);
    if (!part) {
      return Error{database.name() + ", shard " + std::to_string(shard.shard) + ", metric " +
                       row[0] + ": " + part.error().message,
                   ErrorCode::kDamaged};
    }
    if (after.metrics.size() <= number) after.metrics.resize(number + 1);
    after.metrics[number] = *std::move(part);
  }
  if (has_all) {
    after.version = shard.sums_version;
    after.sequence = shard.sums_sequence;
    after.at = shard.sums_at;
  }
  known = std::move(after);
  return {};
}

ShardSums sums_of(OwnedShard& shard, Instant now) {
  const std::shared_ptr<const Snapshot> snapshot = shard.writer().snapshot();
  ShardSums sums{snapshot->sequence, 0, now, {}};
  for (const auto& metric : snapshot->metrics) sums.metrics.push_back(part_of(metric));
  return sums;
}

}  // namespace futurerand
