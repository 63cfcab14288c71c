#include "futurerand/core/randomizer/count_region.hpp"

#include <algorithm>

namespace futurerand {
namespace {

// Floyd's algorithm: a uniform subset of `size` positions is made minus.
void draw_subset(UniformBits& bits, std::uint32_t size, SignVector& signs) {
  for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, 0);
  for (std::uint32_t j = signs.size() - size; j < signs.size(); ++j) {
    const std::uint32_t position = bits.below(j + 1);
    signs.set_minus(signs.is_minus(position) ? j : position, true);
  }
}

}  // namespace

CountRegion::CountRegion(std::uint32_t num_signs, CountSet counts) : counts_(counts) {
  for (BinomialRow row(num_signs); row.index() <= num_signs; row.advance()) {
    if (!counts.contains(row.index())) continue;
    num_vectors_ += row.value();
    cumulative_.push_back({row.index(), num_vectors_});
  }
  const BigInt words_a_try = (num_signs + 63) / 64;
  if ((words_a_try << num_signs) <= num_vectors_ * kMaxRejectedWords) {
    cumulative_.clear();
    cumulative_.shrink_to_fit();
  }
}

void CountRegion::draw(UniformBits& bits, SignVector& signs) const {
  if (by_rejection()) {
    do {
      for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, bits.word());
    } while (!counts_.contains(signs.count_minus()) && !bits.failed());
    return;
  }
  const BigInt pick = bits.below(num_vectors_);
  const auto weight = std::upper_bound(
      cumulative_.begin(), cumulative_.end(), pick,
      [](const BigInt& value, const Weight& entry) { return value < entry.up_to; });
  draw_subset(bits, weight->count, signs);
}

}  // namespace futurerand
