// ProductLaw: each sign is a minus with probability flip / 2^64, independently of the others.
// [OWW22] example 4.2. The functions are those of law.hpp.
#pragma once

#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct ProductLaw {
  static constexpr std::uint32_t kMaxSigns = kMaxPeriods;  // `repeated` has one for every period
  static constexpr bool kMayBeZero = false;

  std::uint32_t num_signs;
  std::uint64_t flip;

  Status validate() const { return check_flip(flip); }
  Fraction probability(std::uint32_t minus, std::uint32_t silent) const;
  LossRatio loss_ratio() const;
  Fraction gap() const;
  double mean_square(double) const { return 1; }

  friend bool operator==(const ProductLaw&, const ProductLaw&) = default;
};

// Returns p^minus q^(k - minus) with p = flip / 2^64 and q = 1 - p.
Fraction product_probability(std::uint32_t k, std::uint64_t flip, std::uint32_t minus);

}  // namespace futurerand
