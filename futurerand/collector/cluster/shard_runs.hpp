// A batch in the order of its shards: what is for one of them is a run, which need not be copied.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/collector/cluster/shard_hash.hpp"
#include "futurerand/collector/writer/commit_batch.hpp"

namespace futurerand {

// Lines of one shard keep their order. Requires a batch that is in none yet.
void order_by_shard(Batch& batch, const ShardHash& shard_of);

struct ShardRun {
  std::uint32_t shard = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};
// Returns the longest runs of one shard each. Of a batch without messages whose one line is too
// long it is one, without an end, of that line's shard.
std::vector<ShardRun> shard_runs(const BatchPart& part, const ShardHash& shard_of);

}  // namespace futurerand
