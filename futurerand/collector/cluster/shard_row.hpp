// The rows of shards and collectors: owners, and their lease renewals. The observer decides whether
// a lease has expired (lease_watch.hpp).
//
// Thread safety: pure functions of a database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct ShardRow {
  std::uint32_t shard = 0;
  std::uint64_t last_sequence = 0;
  std::uint64_t epoch = 0;
  std::string owner = {};      // empty: nobody
  std::string address = {};    // of the owner
  std::uint64_t renewals = 0;  // of its lease: grows while the owner lives
  bool recent = false;         // by the database's clock, renewed at most one lease ago
  bool leased = false;         // the owner is alive, according to the observer of its renewals
  std::uint64_t sums_sequence = 0;
  std::uint64_t checkpoint_sequence = 0;
  std::uint64_t sums_version = 0;  // grows whenever sums are written
  Instant sums_at = {};            // when the owner had counted them
};

// Reads the rows of one database.
Result<std::vector<ShardRow>> read_shards(Database& database, std::uint32_t lease_ms);
// Renews the leases of these shards, as far as they belong to the owner.
Status renew_shards(Database& database, const std::string& owner,
                    const std::vector<std::uint32_t>& shards);

struct CollectorRow {
  std::string owner;
  std::string address;
  bool draining = false;  // hands over its shards
  std::uint64_t renewals = 0;
  bool recent = false;  // as of a shard
  bool leased = false;
};

// Reads the rows of database 0.
Result<std::vector<CollectorRow>> read_collectors(Database& database, std::uint32_t lease_ms);
// Renews this collector's heartbeat. Returns false if another collector has its address, unless
// that row is `expired`: its lease has expired, and was not renewed since.
Result<bool> renew_collector(Database& database, const std::string& owner,
                             const std::string& address, const CollectorRow& expired = {});
Status remove_collector(Database& database, const std::string& owner);
// Returns false if this address is unknown.
Result<bool> drain_collector(Database& database, const std::string& address, bool draining);

// The clock of a database.
struct ClockRow {
  Instant now = {};
  Instant trusted = {};             // the last time accepted by a collector; none: never
  std::uint64_t confirmations = 0;  // by the operator, after jumps
};
Result<ClockRow> read_clock(Database& database);
Status trust_time(Database& database, Instant time);
Status add_confirmation(Database& database);
// Returns milliseconds since 1970 by the database's clock.
Result<std::int64_t> database_time(Database& database);

}  // namespace futurerand
