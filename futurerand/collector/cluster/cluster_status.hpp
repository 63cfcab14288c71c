// ClusterStatus: who is in a cluster and how it is doing, as its databases tell.
//
// Thread safety: plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"

namespace futurerand {

struct DatabaseStatus {
  std::uint32_t number = 0;
  std::string error = {};       // empty: it answers
  std::string durability = {};  // in words
  std::uint64_t log_bytes = 0;
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t sums_bytes = 0;
  std::vector<ShardRow> shards = {};
};

struct ClusterStatus {
  ClusterTerms terms;
  std::vector<DatabaseStatus> databases;
  std::vector<CollectorRow> collectors;
  std::uint64_t metrics = 0;

  // Counts those without an owner that lives.
  std::uint64_t free_shards() const;
  // Counts the groups that a replay after the newest checkpoint would take, of all shards.
  std::uint64_t groups_to_replay() const;
};

// It is an error only if database 0 does not answer or is not of this cluster.
Result<ClusterStatus> read_cluster_status(const std::vector<std::unique_ptr<Database>>& databases);

std::string to_json(const ClusterStatus& status);

}  // namespace futurerand
