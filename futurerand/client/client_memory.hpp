// ClientMemory: all that a client remembers from one start to the next. It is secret, because it
// holds the value, the noise and the ratchet's key.
#pragma once

#include <string>

#include "futurerand/client/sealed.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/entropy/coin_ratchet.hpp"

namespace futurerand {

struct ClientMemory {
  Digest terms;
  ClientId id;
  Device device;
  CoinRatchet coins;
  bool enrolled = false;    // acknowledged
  std::string unsent = {};  // signs of the indices before device.next_index()
};

}  // namespace futurerand
