// SparseLaw: symbols are -1, 0 and +1. A position without a change is nonzero (a fair sign) only
// with probability nonzero / 2^16, and 0 otherwise. The noise is drawn like k such positions, but
// with probability high_side / 2^64 from the vectors with a sum above tau, else from the rest.
// core/law/sparse.md has the proof; the functions are those of law.hpp.
#pragma once

#include <cstdint>

#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct SparseLaw {
  static constexpr std::uint32_t kMaxSigns = 128;
  static constexpr bool kMayBeZero = true;
  static constexpr std::uint32_t kUnits = 1U << 16;
  // The high side has at least one vector in this number, so drawing it by rejection takes bounded
  // time.
  static constexpr std::uint32_t kMaxTries = 1024;

  std::uint32_t num_signs;
  std::uint32_t nonzero;  // an even number
  std::uint32_t tau;
  std::uint64_t high_side;

  Status validate() const;
  Fraction probability(std::uint32_t minus, std::uint32_t silent) const;
  LossRatio loss_ratio() const;
  Fraction gap() const;
  double mean_square(double changed_share) const;

  friend bool operator==(const SparseLaw&, const SparseLaw&) = default;
};

}  // namespace futurerand
