#include "futurerand/core/coding/public_hash.hpp"

#include <cstddef>

#include "futurerand/core/base/sip_hash.hpp"

namespace futurerand {

std::uint64_t public_hash(PublicKey key, std::span<const std::uint8_t> bytes) {
  SipHash<2, 4> hash(key.k0, key.k1);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    if (i % 8 == 7) {
      hash.absorb(word);
      word = 0;
    }
  }
  return hash.finish(word, bytes.size());
}

}  // namespace futurerand
