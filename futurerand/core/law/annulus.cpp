#include "futurerand/core/law/annulus.hpp"

#include <algorithm>

namespace futurerand {

LongFloat to_long_float(Epsilon epsilon) {
  return LongFloat(epsilon.nanos()) / Epsilon::kNanosPerUnit;
}

AnnulusLaw annulus(std::uint32_t max_changes, const LongFloat& basic_epsilon,
                   const LongFloat& lower_bound, const LongFloat& upper_bound) {
  const LongFloat flip = ceil(ldexp(LongFloat(1), 64) / (exp(basic_epsilon) + 1));
  const std::int64_t k = max_changes;
  const auto first = std::clamp<std::int64_t>(ceil(lower_bound).convert_to<std::int64_t>(), 0, k);
  const auto last = std::clamp<std::int64_t>(floor(upper_bound).convert_to<std::int64_t>(), 0, k);
  return {max_changes, flip.convert_to<std::uint64_t>(), static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(last)};
}

}  // namespace futurerand
