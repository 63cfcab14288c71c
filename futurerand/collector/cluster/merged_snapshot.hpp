// MergedSnapshot: what all shards have counted, added up, as readers see it. Only metrics of which
// something has changed are added up anew.
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
  // `lines` are those of this collector, by metric; there may be fewer of them. It returns the same
  // as before if nothing has changed.
  std::shared_ptr<const Snapshot> merge(const CatalogueMetrics& metrics,
                                        const std::map<std::uint32_t, ShardSums>& shards,
                                        const std::vector<LineCounts>& lines);

 private:
  using Parts = std::vector<PartSums>;
  std::vector<Parts> parts_;  // by metric: what was added up
  std::shared_ptr<const Snapshot> last_;
};

}  // namespace futurerand
