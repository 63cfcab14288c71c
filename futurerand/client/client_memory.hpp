// ClientMemory: a client's memory from one start to the next. It is secret, because it contains the
// value, the noise and the ratchet's key.
#pragma once

#include <cstdint>
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
  bool enrolled = false;  // acknowledged
  // The signs of all indices before device.next_index(), and the number of acknowledged ones.
  // Acknowledged signs stay too: a collector restored from a backup requests them again.
  PackedSigns signs = {};
  std::uint32_t num_acknowledged = 0;
  std::string segment = {};  // stated on joining; empty if the plan has none

  Enrolment enrolment() const { return device.enrolment(id, segment); }
};

}  // namespace futurerand
