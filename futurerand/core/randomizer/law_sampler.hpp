// LawSampler: draws the noise vector b of a law, exactly: P(i) is the rational of core/law, because
// the sampler compares uniform integers with the law's own thresholds. [OWW22] Alg. 3, M.init.
//
// Thread safety: const calls may run at once, each with its own source.
#pragma once

#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/randomizer/count_region.hpp"
#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

class LawSampler {
 public:
  static Result<LawSampler> create(const Law& law);

  // Draws before any data is seen, and fails only if the source fails. Tests draw with fewer bits a
  // word (uniform.hpp) and include law_draw.hpp for it. Then k is at most kWordBits, except for a
  // sparse law.
  template <int kWordBits = 64>
  Result<SignVector> draw(RandomSource& source) const;
  // Draws from the other side of the law and throws it away. The time of a draw depends on its
  // side, and an observer may measure it. Both draws together have the same distribution of time
  // for either side. Returns false if the source fails.
  [[nodiscard]] bool draw_other_side(const SignVector& drawn, RandomSource& source) const;

  const Law& law() const { return law_; }

 private:
  explicit LawSampler(const Law& law);

  template <int kWordBits>
  void draw_from(const ProductLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;
  template <int kWordBits>
  void draw_from(const SingleLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;
  template <int kWordBits>
  void draw_from(const AnnulusLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;
  template <int kWordBits>
  void draw_from(const ThresholdLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;
  template <int kWordBits>
  void draw_from(const SparseLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;
  template <int kWordBits>
  void draw_from(const WeightedThresholdLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;
  template <int kWordBits>
  void draw_from(const PulseLaw&, BasicUniformBits<kWordBits>&, SignVector&) const;

  Law law_;
  // A ThresholdLaw has a low side and a high side; an AnnulusLaw has the outside.
  std::vector<CountRegion> regions_;
};

extern template Result<SignVector> LawSampler::draw<64>(RandomSource& source) const;

}  // namespace futurerand
