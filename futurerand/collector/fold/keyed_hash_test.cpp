#include "futurerand/collector/fold/keyed_hash.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <sodium/crypto_shorthash.h>

namespace futurerand {
namespace {

// This is SipHash-c-d as its authors define it: one word after the other, the last one with the
// length in its highest byte.
std::uint64_t sip_hash(int c, int d, const HashKey& key, const ClientId& client) {
  std::uint64_t v[4] = {key.first ^ 0x736f6d6570736575, key.second ^ 0x646f72616e646f6d,
                        key.first ^ 0x6c7967656e657261, key.second ^ 0x7465646279746573};
  const auto rotated = [](std::uint64_t word, int by) { return word << by | word >> (64 - by); };
  const auto rounds = [&](int count) {
    for (; count > 0; --count) {
      v[0] += v[1], v[2] += v[3];
      v[1] = rotated(v[1], 13), v[3] = rotated(v[3], 16);
      v[1] ^= v[0], v[3] ^= v[2];
      v[0] = rotated(v[0], 32);
      v[2] += v[1], v[0] += v[3];
      v[1] = rotated(v[1], 17), v[3] = rotated(v[3], 21);
      v[1] ^= v[2], v[3] ^= v[0];
      v[2] = rotated(v[2], 32);
    }
  };
  std::vector<std::uint64_t> words(client.bytes.size() / 8 + 1);
  for (std::size_t i = 0; i < client.bytes.size(); ++i) {
    words[i / 8] |= std::uint64_t{client.bytes[i]} << (8 * (i % 8));
  }
  words.back() |= std::uint64_t{client.bytes.size()} << 56;
  for (const std::uint64_t word : words) {
    v[3] ^= word;
    rounds(c);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  rounds(d);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// libsodium has 2-4 only: it checks the definition above, which then checks ours.
TEST(KeyedHash, IsSipHash13) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const HashKey key{random(), random()};
    ClientId client;
    for (std::uint8_t& byte : client.bytes) byte = static_cast<std::uint8_t>(random());
    std::uint64_t known = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&known), client.bytes.data(),
                     client.bytes.size(), reinterpret_cast<const unsigned char*>(&key));
    ASSERT_EQ(sip_hash(2, 4, key, client), known);
    ASSERT_EQ(keyed_hash(key, client), sip_hash(1, 3, key, client));
  }
}

}  // namespace
}  // namespace futurerand
