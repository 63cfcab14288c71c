// The table of sums: what each owner has counted of its shard, for all collectors to add up. A row
// is true of the shard's log up to its sequence. Only older rows are replaced, and only by the
// owner of the shard's epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/cluster/owned_shard.hpp"
#include "futurerand/collector/cluster/part_sums.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"

namespace futurerand {

// This is what is known of one shard: the sums of every metric, up to a group of its log.
struct ShardSums {
  std::uint64_t sequence = 0;
  std::uint64_t version = 0;      // of the rows that were read; 0: none
  Instant at = {};                // when the owner had counted that far
  std::vector<PartSums> metrics;  // by number
  std::uint64_t row_bytes = 0;    // that were read last
};

// Writes the changes of the due shards of one database. A shard is due at most once a second. While
// reports stream in, the bytes are at most a tenth of the log's. `now` is the cluster's clock.
Status write_sums(Database& database, const std::vector<std::shared_ptr<OwnedShard>>& shards,
                  Instant now);
// Brings what is known up to date with the rows of each shard, whose own row was read before.
// Metrics that the catalogue does not have yet are left for the next time.
struct KnownSums {
  ShardRow row;
  ShardSums sums;
};
Status read_sums(Database& database, const CatalogueMetrics& metrics,
                 std::vector<KnownSums>& shards);
// Returns what the owner itself knows, which is never behind its rows.
ShardSums sums_of(OwnedShard& shard, Instant now);

}  // namespace futurerand
