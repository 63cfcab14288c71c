// ThresholdLaw: with probability low_side / 2^64 the noise is a uniform vector with at most tau
// minus signs, else a uniform one of the rest. The functions are those of law.hpp.
#pragma once

#include <cstdint>

#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct ThresholdLaw {
  static constexpr std::uint32_t kMaxSigns = 4096;
  static constexpr bool kMayBeZero = false;

  std::uint32_t num_signs;
  std::uint32_t tau;
  std::uint64_t low_side;

  Status validate() const;
  Fraction probability(std::uint32_t minus, std::uint32_t silent) const;
  LossRatio loss_ratio() const;
  Fraction gap() const;
  double mean_square(double) const { return 1; }

  friend bool operator==(const ThresholdLaw&, const ThresholdLaw&) = default;
};

}  // namespace futurerand
