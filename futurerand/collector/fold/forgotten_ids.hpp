// ForgottenIds: keyed hashes of ids that asked to be forgotten. The ids themselves are gone. A
// delayed enrolment of one of them is recognized and refused.
//
// A hash has 64 bits: among ten million forgotten ids a fresh one is mistaken for one of them with
// a probability below 2^-40. Folds that were added up may have had different keys, so each group of
// hashes has its own. Hashes are cut into the shards of the client table.
//
// Memory: 8 bytes an id. Thread safety: one writer, and no reader meanwhile.
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
  // Requires an id that it does not have.
  void insert(const ClientId& client);
  // Requires an id that was inserted here.
  void erase(const ClientId& client);
  void clear() { *this = ForgottenIds(key_); }

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return groups_.size() * sizeof(Group) + 8 * size_; }

  // Returns the hashes of one shard, each group with its key; empty if there are none.
  std::string save(std::size_t shard) const;
  // Adds them, to the end of the bytes. Returns false if they cannot be read, or are of another
  // shard, if one is given.
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
