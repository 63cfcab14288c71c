// Appends groups of several shards of one database in one statement: one round trip, one commit.
// Each group is a compare-and-swap on its own shard's row. A refused group does not affect the
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

// Returns the outcome of each. `affected` is 1 if the group was appended, and 0 if the shard has
// another epoch or position. An empty group writes nothing: it only asks whether the shard still
// has this epoch. Requires groups of different shards.
std::vector<SqlReply> append_groups(Database& database, const std::vector<ShardGroup>& groups);

}  // namespace futurerand
