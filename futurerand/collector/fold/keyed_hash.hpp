// A hash of client ids under a secret key: ids come from strangers, who must not be able to choose
// ones that collide in a table. Checkpoints keep the key, because they are cut by it; no answer
// tells it.
//
// This is SipHash-1-3, which is made for tables. It is not libsodium's SipHash-2-4, because that
// takes almost three times as long, and would make folding a report a third slower
// (bench/fold_bench).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>

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
  std::uint64_t v0 = key.first ^ 0x736f6d6570736575;
  std::uint64_t v1 = key.second ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key.first ^ 0x6c7967656e657261;
  std::uint64_t v3 = key.second ^ 0x7465646279746573;
  const auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  std::uint64_t words[2];
  static_assert(sizeof(words) == sizeof(client.bytes));
  std::memcpy(words, client.bytes.data(), sizeof(words));
  constexpr std::uint64_t kLength = std::uint64_t{sizeof(words)} << 56;
  for (const std::uint64_t word : {words[0], words[1], kLength}) {
    v3 ^= word;
    round();
    v0 ^= word;
  }
  v2 ^= 0xff;
  round();
  round();
  round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace futurerand
