#include "futurerand/core/randomizer/law_sampler.hpp"

#include "futurerand/core/randomizer/law_draw.hpp"

namespace futurerand {

template Result<SignVector> LawSampler::draw<64>(RandomSource& source) const;

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

bool LawSampler::draw_other_side(const SignVector& drawn, RandomSource& source) const {
  UniformBits bits(source);
  SignVector other(drawn.size(), drawn.may_be_zero());
  if (const auto* quiet = std::get_if<SparseLaw>(&law_)) {
    draw_sparse_side(bits, *quiet, score_of(drawn) <= static_cast<int>(quiet->tau), other);
  } else if (std::holds_alternative<ThresholdLaw>(law_)) {
    regions_[regions_[0].contains(drawn.count_minus()) ? 1 : 0].draw(bits, other);
  } else if (const auto* annulus = std::get_if<AnnulusLaw>(&law_)) {
    // A vector from outside took a draw of the product too; one that is not gets a draw from
    // outside.
    const bool kept = annulus->keeps(drawn.count_minus());
    if (kept && !annulus->keeps_all()) regions_[0].draw(bits, other);
  }
  other.erase();
  return !bits.failed();
}

}  // namespace futurerand
