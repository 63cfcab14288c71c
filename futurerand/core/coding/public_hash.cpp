#include "futurerand/core/coding/public_hash.hpp"

#include <bit>
#include <cstddef>

namespace futurerand {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
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
    }
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
};

}  // namespace

std::uint64_t public_hash(PublicKey key, std::span<const std::uint8_t> bytes) {
  State state{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d, key.k0 ^ 0x6c7967656e657261,
              key.k1 ^ 0x7465646279746573};
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    if (i % 8 == 7) {
      state.absorb(word);
      word = 0;
    }
  }
  // The last word has the bytes that are left, and the length modulo 256 on top.
  state.absorb(word | std::uint64_t{bytes.size()} << 56);
  state.v2 ^= 0xff;
  state.rounds(4);
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace futurerand
