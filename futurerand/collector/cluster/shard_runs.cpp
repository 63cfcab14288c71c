#include "futurerand/collector/cluster/shard_runs.hpp"

#include <numeric>

namespace futurerand {
namespace {

std::uint32_t shard_of_message(const Message& message, const ShardHash& shard_of) {
  return std::visit([&](const auto& it) { return shard_of(it.client); }, message);
}

}  // namespace

void order_by_shard(Batch& batch, const ShardHash& shard_of) {
  const std::size_t size = batch.messages.size();
  if (size < 2) return;
  std::vector<std::uint32_t> of(size);
  std::vector<std::uint32_t> places(shard_of.shards() + 1);  // of the next message of each shard
  for (std::size_t at = 0; at < size; ++at) {
    of[at] = shard_of_message(batch.messages[at], shard_of);
    ++places[of[at] + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  batch.order.resize(size);
  for (std::uint32_t at = 0; at < size; ++at) batch.order[places[of[at]]++] = at;
}

std::vector<ShardRun> shard_runs(const BatchPart& part, const ShardHash& shard_of) {
  const Batch& batch = *part.batch;
  std::vector<ShardRun> runs;
  if (part.size() == 0 && !batch.too_long.empty()) {
    runs.push_back({shard_of(batch.too_long[0].second), part.begin, part.end});
  }
  for (std::size_t at = part.begin; at < part.end; ++at) {
    const std::uint32_t shard = shard_of_message(batch.message(at), shard_of);
    if (runs.empty() || runs.back().shard != shard) runs.push_back({shard, at, at});
    ++runs.back().end;
  }
  return runs;
}

}  // namespace futurerand
