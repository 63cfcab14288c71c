// MergedSnapshot: the sums of all shards, added up for readers. Only changed metrics are added up
// again.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/sums_table.hpp"
#include "futurerand/collector/writer/snapshot.hpp"

namespace futurerand {

class MergedSnapshot {
 public:
  // `lines` are those of this collector, by metric; there may be fewer. Returns the same snapshot
  // if nothing changed.
  std::shared_ptr<const Snapshot> merge(const CatalogueMetrics& metrics,
                                        const std::map<std::uint32_t, ShardSums>& shards,
                                        const std::vector<LineCounts>& lines);

 private:
  using Parts = std::vector<PartSums>;
  std::vector<Parts> parts_;  // by metric: the added parts
  std::shared_ptr<const Snapshot> last_;
};

}  // namespace futurerand
