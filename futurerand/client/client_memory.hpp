// ClientMemory: all that a client remembers from one start to the next. It is secret, because it
// holds the value, the noise and the ratchet's key.
#pragma once

#include <cstdint>

#include "futurerand/client/sealed.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/entropy/coin_ratchet.hpp"

namespace futurerand {

struct ClientMemory {
  Digest terms;
  ClientId id;
  Device device;
  CoinRatchet coins;
  bool enrolled = false;  // acknowledged
  // The signs of all indices before device.next_index(), and how many of them are acknowledged.
  // Those stay too: a collector that restored a backup asks for them again.
  SignVector signs = SignVector(0);
  std::uint32_t num_acknowledged = 0;
};

}  // namespace futurerand
