// PublicHash: SipHash-2-4 under fixed public keys. Devices and servers compute the same number.
//
// Nothing here is secret. A device's row is the hash of its random id, so the row is uniform, the
// server cannot pick it, and it need not be sent. A dishonest device could try ids until it likes
// its row. No hash prevents this, and such a device could send false reports as well. So a small
// hash with well mixed bits is enough.
#pragma once

#include <cstdint>
#include <span>

namespace futurerand {

struct PublicKey {
  std::uint64_t k0;
  std::uint64_t k1;
};

// One key for each purpose: "futurerand: row " and "futurerand: text" in ASCII.
inline constexpr PublicKey kRowKey{0x6172657275747566, 0x20776f72203a646e};
inline constexpr PublicKey kTextKey{0x6172657275747566, 0x74786574203a646e};

std::uint64_t public_hash(PublicKey key, std::span<const std::uint8_t> bytes);

}  // namespace futurerand
