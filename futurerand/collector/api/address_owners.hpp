// AddressOwners: numbers for the networks of requests, as owners of work. The numbers come from a
// keyed hash: untrusted clients cannot choose whose number they share.
//
// Thread safety: never changes once it is made.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>

#include "futurerand/collector/api/address.hpp"
#include "futurerand/collector/fold/keyed_hash.hpp"

namespace futurerand {

class AddressOwners {
 public:
  AddressOwners() : key_{random_word(), random_word()} {}

  std::uint64_t hash(const Address& address) const {
    const Address network = address.network();
    ClientId id;
    static_assert(sizeof(id.bytes) == sizeof(network.bytes));
    std::memcpy(id.bytes.data(), network.bytes.data(), network.bytes.size());
    return keyed_hash(key_, id);
  }
  std::uint32_t of(const Address& address) const {
    return static_cast<std::uint32_t>(hash(address));
  }

 private:
  static std::uint64_t random_word() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }

  HashKey key_;
};

}  // namespace futurerand
