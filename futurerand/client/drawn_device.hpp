// DrawnDevice: all random parts of a joining device, drawn before any data.
#pragma once

#include <optional>

#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/entropy/coin_ratchet.hpp"

namespace futurerand {

// Draws a fresh id; none if the source failed.
std::optional<ClientId> draw_client_id(RandomSource& entropy);

struct DrawnDevice {
  ClientId id;
  Device device;
  CoinRatchet coins;

  // Draws the id, then the device's view and noise, then the ratchet's key. Fails if the period is
  // outside the plan, or if the source fails.
  static Result<DrawnDevice> draw(const CertifiedPlan& plan, Period period, RandomSource& entropy);
};

}  // namespace futurerand
