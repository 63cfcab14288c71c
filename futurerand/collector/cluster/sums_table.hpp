// The table of sums: what each owner has counted of its shard, for all collectors to add up. A row
// is true of the shard's log up to its sequence, whoever wrote it, so that only older rows are
// replaced and no epoch is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/cluster/owned_shard.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What is known of one shard: the sums of every metric, up to a group of its log.
struct ShardSums {
  std::uint64_t sequence = 0;
  std::vector<std::shared_ptr<const Sums>> metrics;  // by number; null: nothing
};

// Writes what has changed, if it is time: at most once a second, and while reports stream in no
// more bytes than a tenth of what the log takes.
Status write_sums(Database& database, OwnedShard& shard);
// Brings what is known up to date with the rows. Metrics that the catalogue does not have yet are
// left for the next time.
Status read_sums(Database& database, std::uint32_t shard, const CatalogueMetrics& metrics,
                 ShardSums& known);
// What the owner itself knows, which is never behind its rows.
ShardSums sums_of(OwnedShard& shard);

}  // namespace futurerand
