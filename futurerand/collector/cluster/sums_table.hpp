// The table of sums: each owner's counts of its shards, for all collectors to add up. A row is
// valid for the shard's log up to its sequence. Only older rows are replaced, and only by the owner
// of the shard's epoch.
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

// The known sums of one shard: those of every metric, up to a group of its log.
struct ShardSums {
  std::uint64_t sequence = 0;
  std::uint64_t version = 0;      // of the read rows; 0: none
  Instant at = {};                // when the owner had counted them
  std::vector<PartSums> metrics;  // by number
  std::uint64_t row_bytes = 0;    // of the last read
};

// Writes the changes of the due shards of one database. A shard is due at most once a second. While
// reports stream in, the bytes are at most a tenth of the log's. `now` is the cluster's clock.
Status write_sums(Database& database, const std::vector<std::shared_ptr<OwnedShard>>& shards,
                  Instant now);
// Updates the known sums from the rows of each shard; the shard's own row was read before. Metrics
// missing in the catalogue are left for the next time.
struct KnownSums {
  ShardRow row;
  ShardSums sums;
};
Status read_sums(Database& database, const CatalogueMetrics& metrics,
                 std::vector<KnownSums>& shards);
// Returns the owner's own sums; they are never behind its rows.
ShardSums sums_of(OwnedShard& shard, Instant now);

}  // namespace futurerand
