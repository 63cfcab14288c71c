#include "futurerand/core/law/shapes/pulse_law.hpp"

#include <algorithm>
#include <string>

namespace futurerand {
namespace {

// How many sets hit the window and how many miss it, in a common unit.
struct SetCounts {
  BigInt all{1};
  BigInt miss{1};
  BigInt hit;

  // With J slots, C(J-b, M) / C(J, M) is the product over i < b of (J-M-i) / (J-i), and the same
  // with b and M exchanged. The shorter product serves.
  explicit SetCounts(const PulseLaw& law) {
    const std::uint32_t factors = std::min(law.window, law.pulses);
    const std::uint32_t fewer = law.num_signs - std::max(law.window, law.pulses);
    for (std::uint32_t i = 0; i < factors; ++i) {
      all *= law.num_signs - i;
      miss *= fewer - i;
    }
    hit = all - miss;
  }
};

}  // namespace

Status PulseLaw::validate() const {
  if (window < 1 || window >= num_signs) {
    return Error{"window " + std::to_string(window) + " is out of range; expected 1 to " +
                 std::to_string(num_signs - 1)};
  }
  const std::uint32_t most = std::min(num_signs - window, kMaxPulses);
  if (pulses < 1 || pulses > most) {
    return Error{"pulses " + std::to_string(pulses) + " is out of range; expected 1 to " +
                 std::to_string(most)};
  }
  if (high_side == 0) return Error{"high-side threshold is 0; expected 1 to 2^64 - 1"};
  const SetCounts sets(*this);
  if (std::min(sets.hit, sets.miss) * kMaxTries < sets.all) {
    return Error{"one side has fewer than one set in 8192; expected other pulses or window"};
  }
  return {};
}

LossRatio PulseLaw::loss_ratio() const {
  const SetCounts sets(*this);
  return loss_between({{high_side, sets.hit}, {complement(high_side), sets.miss}});
}

// Among the sets that miss the window, M in J - b have a given other slot. So this is M / (J - b)
// (m / all) (L_hit - L_miss) with L_hit = T all / (2^64 h), L_miss = (2^64 - T) all / (2^64 m).
Fraction PulseLaw::gap() const {
  const SetCounts sets(*this);
  const BigInt lead = sets.miss * high_side - sets.hit * complement(high_side);
  return {lead * pulses, (sets.hit * (num_signs - window)) << 64};
}

std::uint64_t largest_high_side(const PulseLaw& law, const Fraction& exp_epsilon) {
  const SetCounts sets(law);
  const BigInt hit = exp_epsilon.numerator * sets.hit;
  const BigInt miss = exp_epsilon.denominator * sets.miss;
  return BigInt((hit << 64) / (hit + miss)).convert_to<std::uint64_t>();
}

PulseMoments::PulseMoments(const PulseLaw& law) {
  const SetCounts sets(law);
  const double slots = law.num_signs, pulses = law.pulses;
  const double others = slots - law.window;
  const double gap = to_double(law.gap());
  inside = pulses / slots * to_double({sets.all * law.high_side, sets.hit << 64});
  outside = inside - gap;
  pair_inside = inside * (pulses - 1) / (slots - 1);
  // With one slot besides the window there is no pair outside.
  pair_outside = others > 1 ? pair_inside - gap * (pulses - 1) / (others - 1) : 0;
}

}  // namespace futurerand
