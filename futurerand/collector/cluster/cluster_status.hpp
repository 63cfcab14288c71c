// ClusterStatus: the members and the state of a cluster, from its databases.
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

  // Returns the number of shards without a live owner.
  std::uint64_t free_shards() const;
  // Returns the number of groups after the newest checkpoints, over all shards.
  std::uint64_t groups_to_replay() const;
};

// Fails only if database 0 does not answer or belongs to another cluster.
Result<ClusterStatus> read_cluster_status(const std::vector<std::unique_ptr<Database>>& databases);

std::string to_json(const ClusterStatus& status);

}  // namespace futurerand
