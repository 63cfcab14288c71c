#include "futurerand/collector/cluster/sums_table.hpp"

#include <algorithm>
#include <chrono>

#include "futurerand/collector/cluster/sql_array.hpp"
#include "futurerand/collector/writer/metric_presence.hpp"

namespace futurerand {
namespace {

constexpr std::chrono::seconds kSumsInterval{1};
// While a shard is busy its rows are written this often at least.
constexpr std::chrono::seconds kMaxSumsInterval{30};
constexpr std::uint64_t kLogShare = 10;
constexpr std::uint64_t kDeletedVersion = UINT64_MAX;
// One statement ends with the shard that passes it.
constexpr std::size_t kStatementBytes = 4 << 20;
constexpr std::size_t kReadAtOnce = 32;

PartSums part_of(const std::shared_ptr<const MetricSnapshot>& metric) {
  if (metric == nullptr) return {};
  return {std::shared_ptr<const Sums>(metric, &metric->sums), metric->presence,
          metric->final_seasons};
}

std::uint64_t version_of(const std::shared_ptr<const MetricSnapshot>& metric) {
  return metric == nullptr ? kDeletedVersion : metric->version;
}

// Rows of shards are locked in the order of their numbers, as by every statement of several.
const std::string kWrite =
    "WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::int[], $2::bigint[], $7::bigint[]) "
    "AS asked(shard, sequence, epoch)), "
    "locked AS MATERIALIZED (SELECT shard.shard, shard.sums_version, shard.epoch FROM shard "
    "WHERE shard.shard = ANY($1::int[]) ORDER BY shard.shard FOR UPDATE), "
    // An owner whose epoch is over would bring back rows of a metric that was deleted.
    "told AS MATERIALIZED (SELECT asked.shard, asked.sequence FROM asked JOIN locked "
    "ON locked.shard = asked.shard AND locked.epoch = asked.epoch), "
    "part AS MATERIALIZED (SELECT * FROM unnest($4::int[], $5::int[], $6::bytea[]) "
    "AS part(shard, metric, bytes)), "
    "written AS (INSERT INTO sums(shard, metric, sequence, version, bytes) "
    "SELECT part.shard, part.metric, told.sequence, locked.sums_version + 1, "
    "part.bytes FROM part JOIN told ON told.shard = part.shard "
    "JOIN locked ON locked.shard = part.shard "
    "ON CONFLICT (shard, metric) DO UPDATE SET sequence = excluded.sequence, "
    "version = excluded.version, bytes = excluded.bytes "
    "WHERE sums.sequence < excluded.sequence) "
    "UPDATE shard SET sums_sequence = greatest(shard.sums_sequence, told.sequence), "
    "sums_at = greatest(shard.sums_at, $3::bigint), sums_version = shard.sums_version + 1 "
    "FROM told, locked WHERE shard.shard = told.shard AND locked.shard = told.shard";
// Those of the version that was read last too: another owner may have written beside it.
const std::string kRead =
    "SELECT sums.shard::text, sums.metric::text, sums.bytes FROM unnest($1::int[], $2::bigint[]) "
    "AS asked(shard, version) JOIN sums ON sums.shard = asked.shard "
    "AND sums.version >= asked.version";

// A shard whose rows are to be written.
struct Due {
  OwnedShard* shard;
  std::shared_ptr<const Snapshot> snapshot;
};

bool is_due(OwnedShard& shard, const Snapshot& snapshot,
            std::chrono::steady_clock::time_point now) {
  SumsWritten& written = shard.sums_written;
  written.versions.resize(snapshot.metrics.size());
  if (snapshot.sequence <= written.sequence &&
      std::equal(written.versions.begin(), written.versions.end(), snapshot.metrics.begin(),
                 [](std::uint64_t version, const auto& metric) {
                   return version == version_of(metric);
                 })) {
    return false;
  }
  const bool is_idle = snapshot.sequence == written.seen;
  written.seen = snapshot.sequence;
  const std::uint64_t appended = shard.appended_bytes() - written.appended_bytes;
  return is_idle || appended >= kLogShare * written.bytes || now - written.at >= kMaxSumsInterval;
}

// The rows of one statement.
class SumsStatement {
 public:
  void add(const Due& due) {
    const SumsWritten& written = due.shard->sums_written;
    shards_.add(due.shard->shard());
    sequences_.add(due.snapshot->sequence);
    epochs_.add(due.shard->epoch());
    for (std::uint32_t number = 0; number < due.snapshot->metrics.size(); ++number) {
      const auto& metric = due.snapshot->metrics[number];
      if (metric == nullptr || written.versions[number] == metric->version) continue;
      part_shards_.add(due.shard->shard());
      part_metrics_.add(number);
      part_bytes_.add(to_bytes(metric->definition->plan, part_of(metric)));
    }
  }
  std::size_t bytes() const { return part_bytes_.size(); }
  SqlReply run(Database& database, Instant time) {
    return database.run_prepared(
        kWrite,
        {shards_.value(), sequences_.value(), time.time_since_epoch().count(), part_shards_.value(),
         part_metrics_.value(), part_bytes_.value(), epochs_.value()});
  }

 private:
  SqlArray shards_{SqlArray::Type::kInt4};
  SqlArray sequences_{SqlArray::Type::kInt8};
  SqlArray epochs_{SqlArray::Type::kInt8};
  SqlArray part_shards_{SqlArray::Type::kInt4};
  SqlArray part_metrics_{SqlArray::Type::kInt4};
  SqlArray part_bytes_{SqlArray::Type::kBytea};
};

Status delete_rows(Database& database, const Due& due) {
  for (std::uint32_t number = 0; number < due.snapshot->metrics.size(); ++number) {
    std::uint64_t& version = due.shard->sums_written.versions[number];
    if (due.snapshot->metrics[number] != nullptr || version == kDeletedVersion) continue;
    const SqlReply gone =
        database.run("DELETE FROM sums WHERE shard = $1::int AND metric = $2::int",
                     {due.shard->shard(), number});
    if (!gone.done()) return Error{gone.message, ErrorCode::kUnreachable};
    version = kDeletedVersion;
  }
  return {};
}

// Writes those at the front that make one statement, and takes them away.
Status write_some(Database& database, std::vector<Due>& due, Instant time) {
  const auto now = std::chrono::steady_clock::now();
  SumsStatement statement;
  std::vector<std::size_t> sizes;
  while (sizes.size() < due.size() && statement.bytes() < kStatementBytes) {
    const std::size_t before = statement.bytes();
    statement.add(due[sizes.size()]);
    sizes.push_back(statement.bytes() - before);
  }
  const SqlReply reply = statement.run(database, time);
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    SumsWritten& written = due[at].shard->sums_written;
    const Snapshot& snapshot = *due[at].snapshot;
    // After the others: what a season counted is in the row of its metric by now.
    if (const Status deleted = delete_rows(database, due[at]); !deleted) return deleted;
    for (std::size_t number = 0; number < snapshot.metrics.size(); ++number) {
      written.versions[number] = version_of(snapshot.metrics[number]);
    }
    written.sequence = snapshot.sequence;
    written.appended_bytes = due[at].shard->appended_bytes();
    written.bytes = sizes[at];
    written.at = now;
  }
  due.erase(due.begin(), due.begin() + static_cast<std::ptrdiff_t>(sizes.size()));
  return {};
}

// Takes a row into what is known of its shard; false if the catalogue does not have its metric.
Result<bool> take_row(const std::vector<std::string>& row, const CatalogueMetrics& metrics,
                      ShardSums& known) {
  const std::size_t number = std::stoul(row[1]);
  if (number >= metrics.size()) return false;
  const MetricDefinition& definition = *metrics[number].definition;
  Result<PartSums> part = parse_sums_bytes(definition.plan, empty_presence(definition), row[2],
                                           definition.seasons.has_value());
  if (!part) return part.error();
  if (known.metrics.size() <= number) known.metrics.resize(number + 1);
  known.metrics[number] = *std::move(part);
  known.row_bytes += row[2].size();
  return true;
}

Status read_some(Database& database, const CatalogueMetrics& metrics, KnownSums* begin,
                 KnownSums* end) {
  SqlArray shards(SqlArray::Type::kInt4);
  SqlArray versions(SqlArray::Type::kInt8);
  for (KnownSums* one = begin; one != end; ++one) {
    shards.add(one->row.shard);
    versions.add(one->sums.version);
  }
  const SqlReply reply = database.run_prepared(kRead, {shards.value(), versions.value()});
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  for (KnownSums* one = begin; one != end; ++one) {
    const std::string shard = std::to_string(one->row.shard);
    bool has_all = true;
    one->sums.row_bytes = 0;
    for (const std::vector<std::string>& row : reply.rows) {
      if (row[0] != shard) continue;
      const Result<bool> taken = take_row(row, metrics, one->sums);
      if (!taken) {
        return Error{database.name() + ", shard " + shard + ", metric " + row[1] + ": " +
                         taken.error().message,
                     ErrorCode::kDamaged};
      }
      has_all = has_all && *taken;
    }
    if (!has_all) continue;
    one->sums.version = one->row.sums_version;
    one->sums.sequence = one->row.sums_sequence;
    one->sums.at = one->row.sums_at;
  }
  return {};
}

}  // namespace

Status write_sums(Database& database, const std::vector<std::shared_ptr<OwnedShard>>& shards,
                  Instant time) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Due> due;
  for (const std::shared_ptr<OwnedShard>& shard : shards) {
    if (shard->is_lost() || now - shard->sums_written.at < kSumsInterval) continue;
    Due one{shard.get(), shard->writer().snapshot()};
    if (!is_due(*shard, *one.snapshot, now)) continue;
    due.push_back(std::move(one));
  }
  while (!due.empty()) {
    if (const Status written = write_some(database, due, time); !written) return written;
  }
  return {};
}

Status read_sums(Database& database, const CatalogueMetrics& metrics,
                 std::vector<KnownSums>& shards) {
  std::size_t begin = 0;
  while (begin < shards.size()) {
    std::size_t end = begin;
    std::uint64_t bytes = 0;
    while (end < shards.size() && end < begin + kReadAtOnce && bytes < kStatementBytes) {
      bytes += shards[end++].sums.row_bytes;
    }
    const Status read = read_some(database, metrics, shards.data() + begin, shards.data() + end);
    if (!read) return read;
    begin = end;
  }
  return {};
}

ShardSums sums_of(OwnedShard& shard, Instant now) {
  const std::shared_ptr<const Snapshot> snapshot = shard.writer().snapshot();
  ShardSums sums{snapshot->sequence, 0, now, {}, 0};
  for (const auto& metric : snapshot->metrics) sums.metrics.push_back(part_of(metric));
  return sums;
}

}  // namespace futurerand
