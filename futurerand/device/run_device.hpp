// A device's complete run in one call: values in, signs out.
#pragma once

#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/value_from.hpp"

namespace futurerand {

// Passes the user's values to the device, as a range of ValueFrom with strictly rising periods
// after device.now(). The last value is held to the horizon. Before the first one the user holds 0.
// emit(run) gets every sign, in order. Returns false if the coins failed: the emitted signs must
// not be sent.
template <typename Changes, typename Emit>
[[nodiscard]] bool run_device(Device& device, const Changes& changes, RandomSource& coins,
                              Emit&& emit) {
  const bool holds_zero =
      changes.begin() == changes.end() || device.joined() < (*changes.begin()).period;
  if (device.now() < device.joined() && holds_zero &&
      !device.observe(device.joined(), 0, coins, emit)) {
    return false;
  }
  for (const ValueFrom change : changes) {
    if (!device.observe(change.period, change.value, coins, emit)) return false;
  }
  const Period horizon = device.horizon();
  return device.now() == horizon || device.observe(horizon, device.value(), coins, emit);
}

}  // namespace futurerand
