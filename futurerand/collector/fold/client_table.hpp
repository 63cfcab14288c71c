// ClientTable: what the server remembers of each device, in 24 bytes: its id, its view, its
// stratum, the period it joined in, the index that it may report next and how many pulses it sent.
// Open addressing; the table is cut into shards by a keyed hash, so that growing needs room for one
// shard at a time and not for a second table, and nobody can choose ids that all lie in one. At
// most 48 bytes a client once shards have grown past a few entries. Beside them a table may keep
// some words of each client's own, moved and copied with it.
//
// Thread safety: one writer, and no reader meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "futurerand/collector/fold/keyed_hash.hpp"
#include "futurerand/core/plan/pulse_design.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/plan/segments.hpp"

namespace futurerand {

// Packed into one word. A period is at least 1, so no state is zero.
class ClientState {
 public:
  ClientState(std::uint32_t view, Period period, std::uint32_t next_index, std::uint32_t pulses = 0,
              std::uint32_t stratum = 0)
      : word_(std::uint64_t{view} | std::uint64_t{period} << 8 | std::uint64_t{next_index} << 32 |
              (pulses == 0
                   ? std::uint64_t{stratum} << 54
                   : std::uint64_t{pulses} << 54 | std::uint64_t{stratum} << 21 | kPulses)) {}
  // The same device after or before leaving.
  ClientState with_departed(bool departed) const {
    return ClientState(departed ? word_ | kDeparted : word_ & ~kDeparted);
  }
  explicit ClientState(std::uint64_t word) : word_(word) {}

  std::uint32_t view() const { return static_cast<std::uint32_t>(word_ & 0xff); }
  Period period() const {
    return static_cast<Period>(word_ >> 8 & (has_pulses() ? 0x1fff : 0x1fffff));
  }
  std::uint32_t stratum() const {
    return static_cast<std::uint32_t>(word_ >> (has_pulses() ? 21 : 54) & 0xff);
  }
  bool departed() const { return (word_ & kDeparted) != 0; }
  // Past the view's last index nothing more is due.
  std::uint32_t next_index() const { return static_cast<std::uint32_t>(word_ >> 32 & 0x3fffff); }
  // The number of sent pulses, if the plan has pulses.
  std::uint32_t pulses() const {
    return has_pulses() ? static_cast<std::uint32_t>(word_ >> 54) : 0;
  }
  std::uint64_t word() const { return word_; }

  friend bool operator==(const ClientState&, const ClientState&) = default;

 private:
  // Bits from 0 on: view (8), period (21), a flag for pulses, a spare one, a flag for departed
  // devices, next index (22), stratum (8). Once a device has sent pulses, their number (10) takes
  // the place of the stratum. Plans with pulses are short, so that the stratum fits above the
  // period.
  static constexpr std::uint64_t kPulses = std::uint64_t{1} << 29;
  static constexpr std::uint64_t kDeparted = std::uint64_t{1} << 31;
  static_assert(kMaxPeriods <= 0x1fffff && kMaxPulsePeriods <= 0x1fff);
  static_assert(Segments::kMaxValues <= 0x100);

  bool has_pulses() const { return (word_ & kPulses) != 0; }

  std::uint64_t word_;
};

class ClientTable {
 public:
  struct Entry {
    ClientId client;
    std::uint64_t word = 0;  // a ClientState; 0: none
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  static constexpr std::size_t kNumShards = 256;

  explicit ClientTable(const HashKey& key, std::size_t own_words = 0)
      : key_(key), own_words_(own_words) {}

  // Returns null if the client is unknown. Valid until the next insert.
  std::uint64_t* find(const ClientId& client) { return find_both(client).word; }
  // The same, with its own words.
  struct Found {
    std::uint64_t* word;
    std::uint64_t* own;  // null if there are none, or the client is unknown
  };
  Found find_both(const ClientId& client);
  // The client's own words, zero at first; valid until the next insert. Requires a known client and
  // own words.
  std::uint64_t* own_words(const ClientId& client);
  const std::uint64_t* own_words(const ClientId& client) const;
  // Requires an unknown client.
  void insert(const ClientId& client, ClientState state);
  // Requires a known client.
  void erase(const ClientId& client);
  // Starts to fetch the memory for find(client): with millions of clients memory is the cost.
  void prefetch(const ClientId& client) const;
  // The same for the memory of prefetch(client): with many tables that is far away too.
  void prefetch_shard(const ClientId& client) const {
    __builtin_prefetch(&shards_[shard_of(client)]);
  }

  std::size_t size() const { return used_; }
  std::size_t memory_bytes() const { return sizeof(*this) + slot_bytes_; }

  // Returns the entries of one shard in the order of their ids, for any key and any order of
  // inserts.
  std::vector<Entry> sorted_shard(std::size_t shard) const;
  // Removes all clients and frees their memory.
  void clear() { *this = ClientTable(key_, own_words_); }
  std::size_t shard_of(const ClientId& client) const {
    return shard_of_hash(keyed_hash(key_, client));
  }
  const HashKey& key() const { return key_; }
  // Makes room in advance for this many entries in all of a shard.
  void reserve_shard(std::size_t shard, std::size_t entries);

 private:
  struct alignas(64) Shard {  // a cache line each
    std::vector<Entry> slots;
    std::vector<std::uint64_t> own;  // own_words_ for each slot
    std::size_t used = 0;
  };

  // The shard is in the lowest bits of the hash, and the slot comes from the highest.
  static std::size_t shard_of_hash(std::uint64_t hash) { return hash % kNumShards; }
  static std::size_t slot_of_hash(std::uint64_t hash, std::size_t num_slots);
  std::size_t slot_of(const ClientId& client, std::size_t num_slots) const {
    return slot_of_hash(keyed_hash(key_, client), num_slots);
  }
  // The slot of a client with this hash, or the number of slots if it is unknown.
  std::size_t find_slot(const Shard& shard, std::uint64_t hash, const ClientId& client) const;
  void rehash(Shard& shard, std::size_t num_slots);
  void move_own(const Shard& from, std::size_t from_slot, Shard& to, std::size_t to_slot) const;

  HashKey key_;
  std::size_t own_words_;
  std::array<Shard, kNumShards> shards_;
  // Of all shards: whoever has many tables asks often.
  std::size_t used_ = 0;
  std::size_t slot_bytes_ = 0;
};

}  // namespace futurerand
