// ForgottenIds: keyed hashes of ids that asked to be forgotten. The ids themselves are erased. A
// delayed enrolment of such an id is recognized and rejected.
//
// A hash has 64 bits: with ten million forgotten ids a new id is mistaken for one with a
// probability below 2^-40. Merged folds may have had different keys, so each group of hashes has
// its own. Hashes are cut into the shards of the client table.
//
// Memory: 8 bytes per id. Thread safety: one writer, and no reader meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/collector/fold/client_table.hpp"
#include "futurerand/collector/fold/keyed_hash.hpp"
#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {

class ForgottenIds {
 public:
  explicit ForgottenIds(const HashKey& key) : key_(key) {}

  bool has(const ClientId& client) const;
  // Requires an unknown id.
  void insert(const ClientId& client);
  // Requires an id inserted here.
  void erase(const ClientId& client);
  void clear() { *this = ForgottenIds(key_); }

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return groups_.size() * sizeof(Group) + 8 * size_; }

  // Returns the hashes of one shard, each group with its key; empty if there are none.
  std::string save(std::size_t shard) const;
  // Adds them, up to the end of the bytes. Returns false if they are unreadable, or of another
  // shard than the given one.
  bool load(ByteReader& in, std::optional<std::size_t> shard);

 private:
  struct Group {
    HashKey key;
    std::array<std::vector<std::uint64_t>, ClientTable::kNumShards> hashes;  // sorted
  };
  Group& group_of(const HashKey& key);
  bool add(Group& group, std::uint64_t hash);

  HashKey key_;
  std::vector<Group> groups_;
  std::size_t size_ = 0;
};

}  // namespace futurerand
