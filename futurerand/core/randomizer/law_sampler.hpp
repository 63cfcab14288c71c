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

  // Before any data is seen. Fails only if the source fails.
  Result<SignVector> draw(RandomSource& source) const;

  const Law& law() const { return law_; }

 private:
  explicit LawSampler(const Law& law);

  void draw_from(const ProductLaw& law, UniformBits& bits, SignVector& signs) const;
  void draw_from(const SingleLaw& law, UniformBits& bits, SignVector& signs) const;
  void draw_from(const AnnulusLaw& law, UniformBits& bits, SignVector& signs) const;
  void draw_from(const ThresholdLaw& law, UniformBits& bits, SignVector& signs) const;
  void draw_from(const QuietLaw& law, UniformBits& bits, SignVector& signs) const;
  void draw_from(const WeightedThresholdLaw& law, UniformBits& bits, SignVector& signs) const;

  Law law_;
  // ThresholdLaw: the low side and the high side. AnnulusLaw: the outside.
  std::vector<CountRegion> regions_;
};

}  // namespace futurerand
