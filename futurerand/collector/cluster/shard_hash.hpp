// ShardHash: the shard of a client. Clients choose their ids, so a keyed hash decides, and no
// client can aim at a shard. The key is the cluster's id. It comes from the cluster's secret, and
// no client learns it. It never changes, and neither does the number of shards.
//
// Thread safety: never changes once it is made.
#pragma once

#include <cstdint>
#include <string_view>

#include "futurerand/collector/fold/keyed_hash.hpp"

namespace futurerand {

class ShardHash {
 public:
  // `id` has 32 hex digits, from ClusterFile::id().
  ShardHash(std::string_view id, std::uint32_t shards)
      : key_{word_of(id.substr(0, 16)), word_of(id.substr(16))}, shards_(shards) {}

  std::uint32_t shards() const { return shards_; }
  std::uint32_t operator()(const ClientId& client) const {
    return static_cast<std::uint32_t>(keyed_hash(key_, client) % shards_);
  }

 private:
  static std::uint64_t word_of(std::string_view hex) {
    std::uint64_t word = 0;
    for (const char digit : hex) {
      word = word << 4 | static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return word;
  }

  HashKey key_;
  std::uint32_t shards_;
};

}  // namespace futurerand
