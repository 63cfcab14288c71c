// How each shape of law is drawn: the templates of law_sampler.hpp.
#pragma once

#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/quiet_symbol.hpp"

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

// Symbols as they are where nothing changes, drawn until they are loud, or until they are not.
template <int kWordBits>
void draw_quiet_side(BasicUniformBits<kWordBits>& bits, const QuietLaw& law, bool loud,
                     SignVector& signs) {
  // validate() made sure that one try in 1024 or more succeeds on either side.
  int score = 0;
  do {
    score = 0;
    std::uint64_t word = 0;
    for (std::uint32_t j = 0; j < signs.size(); ++j) {
      if (j % kQuietUnitsPerWord == 0) word = bits.word();
      const Sign symbol = quiet_symbol<kWordBits>(word, j % kQuietUnitsPerWord, law.speak);
      signs.set(j, symbol);
      score += static_cast<int>(symbol);
    }
  } while ((score > static_cast<int>(law.tau)) != loud && !bits.failed());
}

template <int kWordBits>
Result<SignVector> LawSampler::draw(RandomSource& source) const {
  BasicUniformBits<kWordBits> bits(source);
  SignVector signs(num_signs(law_), may_be_silent(law_));
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
  // Named, because compilers order the calls among arguments as they like and a seed must not care.
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
void LawSampler::draw_from(const QuietLaw& law, BasicUniformBits<kWordBits>& bits,
                           SignVector& signs) const {
  const bool loud = bits.happens(law.loud_side);
  draw_quiet_side(bits, law, loud, signs);
}

}  // namespace futurerand
