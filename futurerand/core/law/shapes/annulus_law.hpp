// AnnulusLaw: a product draw is kept while its number of minus signs is in [first_kept, last_kept];
// otherwise it is replaced by a uniform vector from outside. [OWW22] Alg. 3. The functions are
// those of law.hpp.
#pragma once

#include <cstdint>

#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct AnnulusLaw {
  static constexpr std::uint32_t kMaxSigns = 4096;
  static constexpr bool kMayBeZero = false;

  std::uint32_t num_signs;
  std::uint64_t flip;
  std::uint32_t first_kept;
  std::uint32_t last_kept;

  Status validate() const;
  Fraction probability(std::uint32_t minus, std::uint32_t silent) const;
  LossRatio loss_ratio() const;
  Fraction gap() const;
  double mean_square(double) const { return 1; }

  bool keeps(std::uint32_t minus) const { return first_kept <= minus && minus <= last_kept; }
  bool keeps_all() const { return first_kept == 0 && last_kept == num_signs; }

  friend bool operator==(const AnnulusLaw&, const AnnulusLaw&) = default;
};

}  // namespace futurerand
