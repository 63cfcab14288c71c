#include "futurerand/core/law/shapes/sparse_moments.hpp"

#include "futurerand/core/law/shapes/sparse_law.hpp"

namespace futurerand {

SparseMoments::SparseMoments(std::uint32_t num_signs, std::uint32_t nonzero)
    : square_(static_cast<double>(nonzero) / SparseLaw::kUnits), others_above_(2 * num_signs + 2) {
  const std::uint32_t k = num_signs;
  std::vector<double> next;
  others_above_[k] = 1;
  for (std::uint32_t factors = 0; factors + 1 < k; ++factors) {
    next.assign(others_above_.size(), 0);
    for (std::uint32_t s = k - factors; s <= k + factors; ++s) {
      next[s - 1] += others_above_[s] * square_ / 2;
      next[s] += others_above_[s] * (1 - square_);
      next[s + 1] += others_above_[s] * square_ / 2;
    }
    others_above_.swap(next);
  }
  for (std::size_t s = others_above_.size() - 1; s-- > 0;) others_above_[s] += others_above_[s + 1];
}

SparseMoments::Loud SparseMoments::loud(std::uint32_t tau) const {
  const std::size_t k = others_above_.size() / 2 - 1;
  const double if_plus = square_ / 2 * others_above_[k + tau];
  const double if_minus = tau + 2 <= k + 1 ? square_ / 2 * others_above_[k + tau + 2] : 0;
  const double if_silent = (1 - square_) * others_above_[k + tau + 1];
  return {if_plus + if_silent + if_minus, if_plus - if_minus, if_plus + if_minus};
}

}  // namespace futurerand
