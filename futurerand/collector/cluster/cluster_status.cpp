#include "futurerand/collector/cluster/cluster_status.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>

namespace futurerand {
namespace {

// Watches suspicious leases for a part of their length: a running collector renews each of them
// three times within it.
void watch_leases(const std::vector<std::unique_ptr<Database>>& databases, ClusterStatus& status) {
  const std::uint32_t lease_ms = status.terms.lease_ms;
  std::set<std::string> lives;
  std::set<std::string> unsure;
  for (const CollectorRow& row : status.collectors) {
    if (row.recent) lives.insert(row.owner);
  }
  for (const DatabaseStatus& database : status.databases) {
    for (const ShardRow& row : database.shards) {
      if (row.owner.empty()) continue;
      if (row.recent) lives.insert(row.owner);
      if (!row.recent) unsure.insert(row.owner);
    }
  }
  for (const std::string& owner : lives) unsure.erase(owner);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(lease_ms) / 2;
  while (!unsure.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(100U, lease_ms / 10)));
    const Result<std::vector<CollectorRow>> rows = read_collectors(*databases[0], lease_ms);
    if (!rows) continue;
    for (const CollectorRow& row : *rows) {
      const auto before =
          std::find_if(status.collectors.begin(), status.collectors.end(),
                       [&](const CollectorRow& old) { return old.owner == row.owner; });
      if (before == status.collectors.end() || before->renewals == row.renewals) continue;
      lives.insert(row.owner);
      unsure.erase(row.owner);
    }
  }
  for (CollectorRow& row : status.collectors) row.leased = lives.contains(row.owner);
  for (DatabaseStatus& database : status.databases) {
    for (ShardRow& row : database.shards) row.leased = lives.contains(row.owner);
  }
}

DatabaseStatus status_of_database(Database& database) {
  DatabaseStatus status{.number = database.number()};
  const Result<ClusterTerms> terms = database.terms();
  if (!terms) {
    status.error = terms.error().message;
    return status;
  }
  if (const Result<std::string> words = database.durability()) status.durability = *words;
  if (Result<std::vector<ShardRow>> shards = read_shards(database, terms->lease_ms)) {
    status.shards = *std::move(shards);
  }
  const SqlReply sizes = database.run(
      "SELECT pg_total_relation_size('log')::text, pg_total_relation_size('checkpoint')::text, "
      "pg_total_relation_size('sums')::text");
  if (sizes.done()) {
    status.log_bytes = std::stoull(sizes.rows[0][0]);
    status.checkpoint_bytes = std::stoull(sizes.rows[0][1]);
    status.sums_bytes = std::stoull(sizes.rows[0][2]);
  }
  return status;
}

}  // namespace

Result<ClusterStatus> read_cluster_status(const std::vector<std::unique_ptr<Database>>& databases) {
  ClusterStatus status;
  const Result<ClusterTerms> terms = databases[0]->terms();
  if (!terms) return terms.error();
  status.terms = *terms;
  for (const auto& database : databases) status.databases.push_back(status_of_database(*database));
  Result<std::vector<CollectorRow>> collectors = read_collectors(*databases[0], terms->lease_ms);
  if (!collectors) return collectors.error();
  status.collectors = *std::move(collectors);
  const SqlReply metrics = databases[0]->run("SELECT count(*)::text FROM metric");
  if (!metrics.done()) return Error{metrics.message, ErrorCode::kUnreachable};
  status.metrics = std::stoull(metrics.rows[0][0]);
  watch_leases(databases, status);
  return status;
}

std::uint64_t ClusterStatus::free_shards() const {
  std::uint64_t free = 0;
  for (const DatabaseStatus& database : databases) {
    for (const ShardRow& row : database.shards) free += row.leased ? 0U : 1U;
  }
  return free;
}

std::uint64_t ClusterStatus::groups_to_replay() const {
  std::uint64_t groups = 0;
  for (const DatabaseStatus& database : databases) {
    for (const ShardRow& row : database.shards)
      groups += row.last_sequence - row.checkpoint_sequence;
  }
  return groups;
}

std::string to_json(const ClusterStatus& status) {
  nlohmann::ordered_json json = {{"shards", status.terms.shards},
                                 {"free_shards", status.free_shards()},
                                 {"metrics", status.metrics},
                                 {"lease_ms", status.terms.lease_ms}};
  nlohmann::ordered_json& collectors = json["collectors"] = nlohmann::ordered_json::array();
  for (const CollectorRow& row : status.collectors) {
    std::uint64_t owned = 0;
    for (const DatabaseStatus& database : status.databases) {
      for (const ShardRow& shard : database.shards) owned += shard.owner == row.owner ? 1U : 0U;
    }
    collectors.push_back({{"address", row.address},
                          {"alive", row.leased},
                          {"draining", row.draining},
                          {"shards", owned}});
  }
  nlohmann::ordered_json& databases = json["databases"] = nlohmann::ordered_json::array();
  for (const DatabaseStatus& database : status.databases) {
    nlohmann::ordered_json one = {{"number", database.number},
                                  {"durability", database.durability},
                                  {"log_bytes", database.log_bytes},
                                  {"checkpoint_bytes", database.checkpoint_bytes},
                                  {"sums_bytes", database.sums_bytes}};
    if (!database.error.empty()) one["error"] = database.error;
    nlohmann::ordered_json& shards = one["shards"] = nlohmann::ordered_json::array();
    for (const ShardRow& row : database.shards) {
      shards.push_back({{"shard", row.shard},
                        {"owner", row.leased ? row.address : ""},
                        {"epoch", row.epoch},
                        {"groups", row.last_sequence},
                        {"groups_to_replay", row.last_sequence - row.checkpoint_sequence},
                        {"sums_lag", row.last_sequence - row.sums_sequence}});
    }
    databases.push_back(std::move(one));
  }
  return json.dump();
}

}  // namespace futurerand
