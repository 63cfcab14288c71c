// Groups of several shards of one database, appended by one statement: one round trip, one commit.
// Each group is compare-and-swap on its own shard's row: one that is refused does not keep the
// others.
//
// Thread safety: all of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"

namespace futurerand {

struct ShardGroup {
  std::uint32_t shard = 0;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  std::string_view bytes = {};
};

// Returns what became of each: `affected` is 1 if it is there, 0 if the shard has another epoch or
// is at another place. A group without bytes writes nothing: it only asks whether the epoch is
// still the shard's. Requires groups of different shards.
std::vector<SqlReply> append_groups(Database& database, const std::vector<ShardGroup>& groups);

}  // namespace futurerand
