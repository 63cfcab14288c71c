#include "futurerand/collector/fold/forgotten_ids.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace futurerand {

bool ForgottenIds::has(const ClientId& client) const {
  for (const Group& group : groups_) {
    const std::uint64_t hash = keyed_hash(group.key, client);
    const std::vector<std::uint64_t>& all = group.hashes[hash % ClientTable::kNumShards];
    if (std::binary_search(all.begin(), all.end(), hash)) return true;
  }
  return false;
}

ForgottenIds::Group& ForgottenIds::group_of(const HashKey& key) {
  // Sorted, so that the same groups give the same bytes.
  const auto before = [](const Group& group, const HashKey& other) {
    return std::pair(group.key.first, group.key.second) < std::pair(other.first, other.second);
  };
  const auto at = std::lower_bound(groups_.begin(), groups_.end(), key, before);
  if (at != groups_.end() && at->key == key) return *at;
  return *groups_.insert(at, Group{key, {}});
}

bool ForgottenIds::add(Group& group, std::uint64_t hash) {
  std::vector<std::uint64_t>& all = group.hashes[hash % ClientTable::kNumShards];
  const auto at = std::lower_bound(all.begin(), all.end(), hash);
  if (at != all.end() && *at == hash) return false;
  all.insert(at, hash);
  ++size_;
  return true;
}

void ForgottenIds::insert(const ClientId& client) {
  if (!add(group_of(key_), keyed_hash(key_, client))) std::abort();
}

void ForgottenIds::erase(const ClientId& client) {
  const std::uint64_t hash = keyed_hash(key_, client);
  std::vector<std::uint64_t>& all = group_of(key_).hashes[hash % ClientTable::kNumShards];
  const auto at = std::lower_bound(all.begin(), all.end(), hash);
  if (at == all.end() || *at != hash) std::abort();
  all.erase(at);
  --size_;
}

std::string ForgottenIds::save(std::size_t shard) const {
  std::string bytes;
  for (const Group& group : groups_) {
    const std::vector<std::uint64_t>& all = group.hashes[shard];
    if (all.empty()) continue;
    put_word(bytes, group.key.first);
    put_word(bytes, group.key.second);
    put_varint(bytes, all.size());
    for (const std::uint64_t hash : all) put_word(bytes, hash);
  }
  return bytes;
}

bool ForgottenIds::load(ByteReader& in, std::optional<std::size_t> shard) {
  while (in.ok() && in.remaining() > 0) {
    HashKey key;
    key.first = in.word();
    key.second = in.word();
    const std::uint64_t count = in.varint();
    if (!in.ok() || count == 0 || count > in.remaining() / sizeof(std::uint64_t)) return false;
    Group& group = group_of(key);
    std::uint64_t previous = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t hash = in.word();
      const bool elsewhere = shard && hash % ClientTable::kNumShards != *shard;
      if (elsewhere || (i > 0 && hash <= previous)) return false;
      add(group, hash);
      previous = hash;
    }
  }
  return in.ok();
}

}  // namespace futurerand
