// A hash of client ids under a secret key, SipHash: ids come from strangers, who must not be able
// to choose ones that collide in a table. The hash is never stored.
#pragma once

#include <cstdint>

#include <sodium/crypto_shorthash.h>

#include "futurerand/core/plan/report.hpp"

namespace futurerand {

struct HashKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

inline std::uint64_t keyed_hash(const HashKey& key, const ClientId& client) {
  static_assert(sizeof(key) == crypto_shorthash_KEYBYTES);
  std::uint64_t hash = 0;
  static_assert(sizeof(hash) == crypto_shorthash_BYTES);
  crypto_shorthash(reinterpret_cast<unsigned char*>(&hash), client.bytes.data(),
                   client.bytes.size(), reinterpret_cast<const unsigned char*>(&key));
  return hash;
}

}  // namespace futurerand
