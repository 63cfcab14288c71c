// A hash of client ids under a secret key. Ids come from untrusted clients, and these must not be
// able to choose ids that collide in a table. Checkpoints store the key, because they are cut by
// it. No answer reveals it.
//
// This is SipHash-1-3, designed for tables. libsodium's SipHash-2-4 takes almost three times as
// long, and would make folding a report a third slower (bench/fold_bench).
#pragma once

#include <cstdint>
#include <cstring>
#include <random>

#include "futurerand/core/base/sip_hash.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {

struct HashKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend bool operator==(const HashKey&, const HashKey&) = default;

  static HashKey random() {
    std::random_device device;
    const auto word = [&] { return std::uint64_t{device()} << 32 | device(); };
    return {word(), word()};
  }
};

inline std::uint64_t keyed_hash(const HashKey& key, const ClientId& client) {
  std::uint64_t words[2];
  static_assert(sizeof(words) == sizeof(client.bytes));
  std::memcpy(words, client.bytes.data(), sizeof(words));
  SipHash<1, 3> hash(key.first, key.second);
  for (const std::uint64_t word : words) hash.absorb(word);
  return hash.finish(0, sizeof(words));
}

}  // namespace futurerand
