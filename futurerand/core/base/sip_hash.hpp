// SipHash-c-d: c rounds for each word of 8 bytes, d at the end. [AB12] Aumasson, Bernstein:
// SipHash, 2012. `public_hash` is SipHash-2-4 under public keys, `keyed_hash` SipHash-1-3 under a
// secret one.
#pragma once

#include <bit>
#include <cstdint>

namespace futurerand {

template <int c, int d>
class SipHash {
 public:
  SipHash(std::uint64_t k0, std::uint64_t k1)
      : v0_(k0 ^ 0x736f6d6570736575),
        v1_(k1 ^ 0x646f72616e646f6d),
        v2_(k0 ^ 0x6c7967656e657261),
        v3_(k1 ^ 0x7465646279746573) {}

  // Takes 8 bytes, the first one lowest.
  void absorb(std::uint64_t word) {
    v3_ ^= word;
    rounds<c>();
    v0_ ^= word;
  }

  // Takes the last bytes, fewer than 8, and the number of all bytes.
  std::uint64_t finish(std::uint64_t last, std::uint64_t num_bytes) {
    absorb(last | num_bytes << 56);
    v2_ ^= 0xff;
    rounds<d>();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  template <int count>
  void rounds() {
    for (int i = 0; i < count; ++i) {
      v0_ += v1_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v3_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace futurerand
