// SingleLaw: one sign, drawn uniformly, is a minus with probability flip / 2^64; all others are
// fair coins. The functions are those of law.hpp.
#pragma once

#include <cstdint>

#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct SingleLaw {
  static constexpr std::uint32_t kMaxSigns = 4096;
  static constexpr bool kMayBeZero = false;

  std::uint32_t num_signs;
  std::uint64_t flip;

  Status validate() const { return check_flip(flip); }
  Fraction probability(std::uint32_t minus, std::uint32_t silent) const;
  LossRatio loss_ratio() const;
  Fraction gap() const;
  double mean_square(double) const { return 1; }

  friend bool operator==(const SingleLaw&, const SingleLaw&) = default;
};

}  // namespace futurerand
