// PulseLaw: the noise is a set of `pulses` of the `num_signs` slots. A slot of the set is a plus, a
// pulse; any other is a minus. The window is the first `window` slots. With probability high_side /
// 2^64 the set is uniform among the sets that hit the window, else among the others.
// core/law/pulse.md has the proof; the functions are those of law.hpp.
#pragma once

#include <cstdint>

#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct PulseLaw {
  static constexpr std::uint32_t kMaxSigns = 8192;
  static constexpr std::uint32_t kMaxPulses = 1023;  // a server counts those of each device
  static constexpr bool kMayBeZero = false;
  // Each side has at least one set in this number, so drawing it by rejection takes bounded time.
  static constexpr std::uint32_t kMaxTries = kMaxSigns;

  std::uint32_t num_signs;
  std::uint32_t window;
  std::uint32_t pulses;
  std::uint64_t high_side;

  Status validate() const;
  LossRatio loss_ratio() const;
  // Returns how much likelier a pulse is in a slot of the window than in any other slot.
  Fraction gap() const;
  double mean_square(double) const { return 1; }

  friend bool operator==(const PulseLaw&, const PulseLaw&) = default;
};

// The largest high side within epsilon, given the rest of a law.
std::uint64_t largest_high_side(const PulseLaw& law, const Fraction& exp_epsilon);

// How likely pulses are, in floating point: for estimates and predictions.
struct PulseMoments {
  explicit PulseMoments(const PulseLaw& law);

  double inside;        // in a slot of the window
  double outside;       // in any other slot
  double pair_inside;   // in two slots, at least one of them in the window
  double pair_outside;  // in two other slots

  double gap() const { return inside - outside; }
};

}  // namespace futurerand
