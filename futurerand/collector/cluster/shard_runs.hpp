// A batch in the order of its shards: the lines of one shard are a run and need not be copied.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/collector/cluster/shard_hash.hpp"
#include "futurerand/collector/writer/commit_batch.hpp"

namespace futurerand {

// Lines of one shard keep their order. Requires a batch in no order yet.
void order_by_shard(Batch& batch, const ShardHash& shard_of);

struct ShardRun {
  std::uint32_t shard = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};
// Returns the longest runs of one shard each. A batch without messages, with one line that is too
// long, is one run without an end, of that line's shard.
std::vector<ShardRun> shard_runs(const BatchPart& part, const ShardHash& shard_of);

}  // namespace futurerand
