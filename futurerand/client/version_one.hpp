// What a client state of version 1 lacks: it says how much noise was used, and so how often the
// value changed. Later versions start with the next entry of the noise and have an unused coin
// where an entry was used (sign_randomizer.hpp).
#pragma once

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/entropy/coin_ratchet.hpp"

namespace futurerand {

// Brings the state of a view of changes into the later form. The unused coins of version 1 are
// gone: others are derived from the ratchet's key, always the same for the same state, and
// independent of the coins that the ratchet gives. Returns false if the state is none of version 1.
bool hide_used_noise(const Plan& plan, const CoinRatchet& coins, DeviceState& state);

}  // namespace futurerand
