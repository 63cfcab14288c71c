// How each shape of law is drawn: the templates of law_sampler.hpp.
#pragma once

#include <utility>

#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/sparse_symbol.hpp"

namespace futurerand {

template <int kWordBits>
void draw_product(BasicUniformBits<kWordBits>& bits, std::uint64_t flip, SignVector& signs) {
  for (std::size_t w = 0; w < signs.num_words(); ++w) {
    signs.set_word(w, bits.biased_word(flip, signs.lanes(w)));
  }
}

inline int score_of(const SignVector& signs) {
  int score = 0;
  for (std::uint32_t j = 0; j < signs.size(); ++j) score += static_cast<int>(signs.at(j));
  return score;
}

// Draws symbols without a change until they are on the high side, or until they are not.
template <int kWordBits>
void draw_sparse_side(BasicUniformBits<kWordBits>& bits, const SparseLaw& law, bool loud,
                      SignVector& signs) {
  // validate() has checked: at least one try in 1024 succeeds on either side.
  constexpr std::uint32_t kMostTries = SparseLaw::kMaxTries * kMostTimesExpectedTries;
  for (std::uint32_t tries = 0; tries < kMostTries && !bits.failed(); ++tries) {
    int score = 0;
    std::uint64_t word = 0;
    for (std::uint32_t j = 0; j < signs.size(); ++j) {
      if (j % kSparseUnitsPerWord == 0) word = bits.word();
      const Sign symbol = sparse_symbol<kWordBits>(word, j % kSparseUnitsPerWord, law.nonzero);
      signs.set(j, symbol);
      score += static_cast<int>(symbol);
    }
    if ((score > static_cast<int>(law.tau)) == loud) return;
  }
  bits.fail();
}

template <int kWordBits>
Result<SignVector> LawSampler::draw(RandomSource& source) const {
  BasicUniformBits<kWordBits> bits(source);
  SignVector signs(num_signs(law_), may_be_zero(law_));
  std::visit([&](const auto& law) { draw_from(law, bits, signs); }, law_);
  if (bits.failed()) {
    return Error{"the random source failed; no noise was drawn", ErrorCode::kNoEntropy};
  }
  return signs;
}

template <int kWordBits>
void LawSampler::draw_from(const ProductLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  draw_product(bits, law.flip, signs);
}

template <int kWordBits>
void LawSampler::draw_from(const SingleLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, bits.word());
  // The draws are named, because compilers order the calls among arguments as they like and a seed
  // must not care.
  const std::uint32_t kept = bits.below(law.num_signs);
  signs.set_minus(kept, bits.happens(law.flip));
}

template <int kWordBits>
void LawSampler::draw_from(const AnnulusLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  draw_product(bits, law.flip, signs);
  const CountRegion& outside = regions_[0];
  if (outside.contains(signs.count_minus())) outside.draw(bits, signs);
}

template <int kWordBits>
void LawSampler::draw_from(const ThresholdLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  regions_[bits.happens(law.low_side) ? 0 : 1].draw(bits, signs);
}

template <int kWordBits>
void LawSampler::draw_from(const SparseLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  const bool loud = bits.happens(law.high_side);
  draw_sparse_side(bits, law, loud, signs);
}

// Draws null symbols, fair or rare signs, from a fixed number of words. Returns whether their score
// is at least theta.
template <int kWordBits>
bool draw_fair(BasicUniformBits<kWordBits>& bits, const WeightedThresholdLaw& law,
               std::uint32_t most_lost, SignVector& signs) {
  const std::uint32_t rarity = law.rarity();
  for (std::size_t w = 0; w < signs.num_words(); ++w) {
    // A symbol is nonzero if all of `rarity` fair bits are 0.
    std::uint64_t silent = 0;
    for (std::uint32_t i = 0; i < rarity; ++i) silent |= bits.word();
    signs.set_word(w, bits.word() & ~silent);
    if (law.may_be_zero()) signs.set_zero_word(w, silent);
  }
  std::uint32_t lost = 0, position = 0;
  for (const auto& level : law.levels) {
    const std::uint32_t minus = signs.count_minus(position, level.count);
    const std::uint32_t silent =
        law.may_be_zero() ? minus + signs.count_zeros(position, level.count) : 0;
    lost += level.weight * (minus + silent);
    position += level.count;
  }
  return lost <= most_lost;
}

// Such vectors are drawn until there is one of either side, and only then one of the two is taken:
// how many it took, and so how long joining takes, says nothing of the vector that is kept. A
// certified law has both sides at least once in 1024.
template <int kWordBits>
void LawSampler::draw_from(const WeightedThresholdLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  constexpr std::uint32_t kMostTries = WeightedThresholdLaw::kMaxTries * kMostTimesExpectedTries;
  const bool loud = bits.happens(law.high_side);
  const std::uint32_t most_lost = law.most_lost();
  const bool first_is_high = draw_fair(bits, law, most_lost, signs);
  SignVector other(law.num_signs, law.may_be_zero());
  std::uint32_t tries = 0;
  while (draw_fair(bits, law, most_lost, other) == first_is_high) {
    if (bits.failed() || ++tries == kMostTries) return bits.fail();
  }
  if (loud != first_is_high) std::swap(signs, other);
  other.erase();
}

// Makes a uniform set of slots plus and all others minus, by Floyd's algorithm, and tells whether
// it hits the window.
template <int kWordBits>
bool draw_pulse_set(BasicUniformBits<kWordBits>& bits, const PulseLaw& law, SignVector& signs) {
  for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, ~std::uint64_t{0});
  for (std::uint32_t j = law.num_signs - law.pulses; j < law.num_signs; ++j) {
    const std::uint32_t slot = bits.below(j + 1);
    signs.set_minus(signs.is_minus(slot) ? slot : j, false);
  }
  return signs.count_minus(0, law.window) < law.window;
}

// As for a WeightedThresholdLaw: the number of tries says nothing of the set that is kept.
template <int kWordBits>
void LawSampler::draw_from(const PulseLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  constexpr std::uint32_t kMostTries = PulseLaw::kMaxTries * kMostTimesExpectedTries;
  const bool hit = bits.happens(law.high_side);
  const bool first_hits = draw_pulse_set(bits, law, signs);
  SignVector other(law.num_signs);
  std::uint32_t tries = 0;
  while (draw_pulse_set(bits, law, other) == first_hits) {
    if (bits.failed() || ++tries == kMostTries) return bits.fail();
  }
  if (hit != first_hits) std::swap(signs, other);
  other.erase();
}

}  // namespace futurerand
