#include "futurerand/core/randomizer/count_region.hpp"

namespace futurerand {

CountRegion::CountRegion(std::uint32_t num_signs, CountSet counts, std::uint32_t max_rejected_words)
    : counts_(counts) {
  for (BinomialRow row(num_signs); row.index() <= num_signs; row.advance()) {
    if (!counts.contains(row.index())) continue;
    num_vectors_ += row.value();
    cumulative_.push_back({row.index(), num_vectors_});
  }
  const BigInt words_a_try = (num_signs + 63) / 64;
  if ((words_a_try << num_signs) <= num_vectors_ * max_rejected_words) {
    cumulative_.clear();
    cumulative_.shrink_to_fit();
  }
}

}  // namespace futurerand
