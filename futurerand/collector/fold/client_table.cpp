#include "futurerand/collector/fold/client_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace futurerand {
namespace {

constexpr std::size_t kMinSlots = 4;

// Compares them as two words: comparing the arrays calls memcmp.
bool is_same(const ClientId& a, const ClientId& b) {
  std::uint64_t words[4];
  std::memcpy(words, a.bytes.data(), a.bytes.size());
  std::memcpy(words + 2, b.bytes.data(), b.bytes.size());
  return words[0] == words[2] && words[1] == words[3];
}

// At four fifths an unsuccessful search looks at 13 slots on average, all next to each other.
bool is_full(std::size_t used, std::size_t num_slots) { return (used + 1) * 5 > num_slots * 4; }

}  // namespace

std::size_t ClientTable::slot_of_hash(std::uint64_t hash, std::size_t num_slots) {
  // This is the high word of hash * num_slots: it takes no division, and any number of slots.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{hash} * num_slots) >> 64);
}

std::size_t ClientTable::find_slot(const Shard& shard, std::uint64_t hash,
                                   const ClientId& client) const {
  const std::size_t num_slots = shard.slots.size();
  if (num_slots == 0) return 0;
  std::size_t slot = slot_of_hash(hash, num_slots);
  // The search ends, because a shard always has an empty slot.
  while (shard.slots[slot].word != 0) {
    if (is_same(shard.slots[slot].client, client)) return slot;
    if (++slot == num_slots) slot = 0;
  }
  return num_slots;
}

ClientTable::Found ClientTable::find_both(const ClientId& client) {
  const std::uint64_t hash = keyed_hash(key_, client);
  Shard& shard = shards_[shard_of_hash(hash)];
  const std::size_t slot = find_slot(shard, hash, client);
  if (slot == shard.slots.size()) return {nullptr, nullptr};
  return {&shard.slots[slot].word, own_words_ == 0 ? nullptr : &shard.own[slot * own_words_]};
}

const std::uint64_t* ClientTable::own_words(const ClientId& client) const {
  const std::uint64_t hash = keyed_hash(key_, client);
  const Shard& shard = shards_[shard_of_hash(hash)];
  const std::size_t slot = find_slot(shard, hash, client);
  if (slot == shard.slots.size() || own_words_ == 0) std::abort();
  return shard.own.data() + slot * own_words_;
}

std::uint64_t* ClientTable::own_words(const ClientId& client) {
  return const_cast<std::uint64_t*>(std::as_const(*this).own_words(client));
}

void ClientTable::move_own(const Shard& from, std::size_t from_slot, Shard& to,
                           std::size_t to_slot) const {
  std::copy_n(from.own.begin() + static_cast<std::ptrdiff_t>(from_slot * own_words_), own_words_,
              to.own.begin() + static_cast<std::ptrdiff_t>(to_slot * own_words_));
}

void ClientTable::insert(const ClientId& client, ClientState state) {
  if (state.word() == 0) std::abort();
  const std::uint64_t hash = keyed_hash(key_, client);
  Shard& shard = shards_[shard_of_hash(hash)];
  if (is_full(shard.used, shard.slots.size())) {
    rehash(shard, std::max(kMinSlots, shard.slots.size() + shard.slots.size() / 2));
  }
  const std::size_t num_slots = shard.slots.size();
  std::size_t slot = slot_of_hash(hash, num_slots);
  while (shard.slots[slot].word != 0) {
    if (++slot == num_slots) slot = 0;
  }
  shard.slots[slot] = {client, state.word()};
  std::fill_n(shard.own.begin() + static_cast<std::ptrdiff_t>(slot * own_words_), own_words_, 0);
  ++shard.used;
  ++used_;
}

void ClientTable::erase(const ClientId& client) {
  Shard& shard = shards_[shard_of(client)];
  const std::uint64_t* word = find(client);
  if (word == nullptr) std::abort();
  const std::size_t num_slots = shard.slots.size();
  std::size_t hole = slot_of(client, num_slots);
  while (&shard.slots[hole].word != word) {
    if (++hole == num_slots) hole = 0;
  }
  // Moves back those whose search passes the hole, so that no search ends too early.
  for (std::size_t at = hole;;) {
    if (++at == num_slots) at = 0;
    if (shard.slots[at].word == 0) break;
    const std::size_t home = slot_of(shard.slots[at].client, num_slots);
    const bool home_after_hole = hole < at ? hole < home && home <= at : hole < home || home <= at;
    if (home_after_hole) continue;
    shard.slots[hole] = shard.slots[at];
    move_own(shard, at, shard, hole);
    hole = at;
  }
  shard.slots[hole] = {};
  --shard.used;
  --used_;
}

void ClientTable::prefetch(const ClientId& client) const {
  const std::uint64_t hash = keyed_hash(key_, client);
  const Shard& shard = shards_[shard_of_hash(hash)];
  if (shard.slots.empty()) return;
  const std::size_t slot = slot_of_hash(hash, shard.slots.size());
  __builtin_prefetch(&shard.slots[slot]);
  if (own_words_ > 0) __builtin_prefetch(&shard.own[slot * own_words_]);
}

void ClientTable::rehash(Shard& shard, std::size_t num_slots) {
  Shard old{std::vector<Entry>(num_slots), std::vector<std::uint64_t>(num_slots * own_words_)};
  old.slots.swap(shard.slots);
  old.own.swap(shard.own);
  slot_bytes_ +=
      (num_slots - old.slots.size()) * (sizeof(Entry) + own_words_ * sizeof(std::uint64_t));
  for (std::size_t at = 0; at < old.slots.size(); ++at) {
    const Entry& entry = old.slots[at];
    if (entry.word == 0) continue;
    std::size_t slot = slot_of(entry.client, num_slots);
    while (shard.slots[slot].word != 0) {
      if (++slot == num_slots) slot = 0;
    }
    shard.slots[slot] = entry;
    move_own(old, at, shard, slot);
  }
}

std::vector<ClientTable::Entry> ClientTable::sorted_shard(std::size_t shard) const {
  std::vector<Entry> entries;
  entries.reserve(shards_[shard].used);
  for (const Entry& entry : shards_[shard].slots) {
    if (entry.word != 0) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

void ClientTable::reserve_shard(std::size_t shard, std::size_t entries) {
  const std::size_t num_slots = entries + entries / 2 + kMinSlots;
  if (num_slots > shards_[shard].slots.size()) rehash(shards_[shard], num_slots);
}

}  // namespace futurerand
