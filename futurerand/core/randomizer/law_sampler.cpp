#include "futurerand/core/randomizer/law_sampler.hpp"

#include "futurerand/core/randomizer/quiet_symbol.hpp"

namespace futurerand {
namespace {

void draw_product(UniformBits& bits, std::uint64_t flip, SignVector& signs) {
  for (std::size_t w = 0; w < signs.num_words(); ++w) {
    signs.set_word(w, bits.biased_word(flip, signs.lanes(w)));
  }
}

// Symbols as they are where nothing changes; returns their sum.
int draw_unchanged(UniformBits& bits, std::uint32_t speak, SignVector& signs) {
  int score = 0;
  std::uint64_t word = 0;
  for (std::uint32_t j = 0; j < signs.size(); ++j) {
    if (j % kQuietUnitsPerWord == 0) word = bits.word();
    const Sign symbol = quiet_symbol(word, j % kQuietUnitsPerWord, speak);
    signs.set(j, symbol);
    score += static_cast<int>(symbol);
  }
  return score;
}

}  // namespace

Result<LawSampler> LawSampler::create(const Law& law) {
  if (const Status valid = validate(law); !valid) return valid.error();
  return LawSampler(law);
}

LawSampler::LawSampler(const Law& law) : law_(law) {
  if (const auto* annulus = std::get_if<AnnulusLaw>(&law)) {
    regions_.emplace_back(annulus->num_signs,
                          CountSet{annulus->first_kept, annulus->last_kept, true});
  } else if (const auto* threshold = std::get_if<ThresholdLaw>(&law)) {
    regions_.emplace_back(threshold->num_signs, CountSet{0, threshold->tau});
    regions_.emplace_back(threshold->num_signs, CountSet{0, threshold->tau, true});
  }
}

Result<SignVector> LawSampler::draw(RandomSource& source) const {
  UniformBits bits(source);
  SignVector signs(num_signs(law_), may_be_silent(law_));
  std::visit([&](const auto& law) { draw_from(law, bits, signs); }, law_);
  if (bits.failed()) {
    return Error{"the random source failed; no noise was drawn", ErrorCode::kNoEntropy};
  }
  return signs;
}

void LawSampler::draw_from(const ProductLaw& law, UniformBits& bits, SignVector& signs) const {
  draw_product(bits, law.flip, signs);
}

void LawSampler::draw_from(const SingleLaw& law, UniformBits& bits, SignVector& signs) const {
  for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, bits.word());
  // Named, because compilers order the calls among arguments as they like and a seed must not care.
  const std::uint32_t kept = bits.below(law.num_signs);
  signs.set_minus(kept, bits.word() < law.flip);
}

void LawSampler::draw_from(const AnnulusLaw& law, UniformBits& bits, SignVector& signs) const {
  draw_product(bits, law.flip, signs);
  const CountRegion& outside = regions_[0];
  if (outside.contains(signs.count_minus())) outside.draw(bits, signs);
}

void LawSampler::draw_from(const ThresholdLaw& law, UniformBits& bits, SignVector& signs) const {
  regions_[bits.word() < law.low_side ? 0 : 1].draw(bits, signs);
}

void LawSampler::draw_from(const QuietLaw& law, UniformBits& bits, SignVector& signs) const {
  const bool loud = bits.word() < law.loud_side;
  // validate() made sure that one try in 1024 or more succeeds on either side.
  while ((draw_unchanged(bits, law.speak, signs) > static_cast<int>(law.tau)) != loud) {
    if (bits.failed()) return;
  }
}

}  // namespace futurerand
