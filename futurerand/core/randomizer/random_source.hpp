// RandomSource: the interface of uniform bits. Devices use system entropy; simulations and tests
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
  // Drops words drawn ahead of time. A virtual machine resumed twice from one snapshot would give
  // them twice. The system reseeds later draws.
  virtual void discard_buffered() {}
};

}  // namespace futurerand
