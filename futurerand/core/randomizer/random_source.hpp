// RandomSource: where uniform bits come from. Devices use system entropy; simulations and tests
// bring their own. Randomness is always an argument.
#pragma once

#include <cstdint>
#include <span>

namespace futurerand {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  // Fills every word with independent uniform bits, or returns false and nothing may be used.
  [[nodiscard]] virtual bool fill(std::span<std::uint64_t> words) = 0;
  // Drops words that were drawn ahead of time. A virtual machine that is resumed twice from one
  // snapshot would give them twice; what is drawn afterwards the system reseeds.
  virtual void discard_buffered() {}
};

}  // namespace futurerand
