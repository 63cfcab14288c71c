#include "futurerand/core/law/future_rand.hpp"

#include "futurerand/core/law/annulus.hpp"

namespace futurerand {

// The constants are the paper's own ([OWW22] section 5.2), kept as they are so that its results
// reproduce.
AnnulusLaw future_rand(std::uint32_t max_changes, Epsilon epsilon) {
  const LongFloat k = max_changes;
  const LongFloat basic_epsilon = to_long_float(epsilon) / (5 * sqrt(k));
  const LongFloat ratio = exp(basic_epsilon);
  const LongFloat lower_bound = k / (ratio + 1) - 2 * sqrt(k);
  const LongFloat upper_bound = k / basic_epsilon * log(2 * ratio / (ratio + 1));
  return annulus(max_changes, basic_epsilon, lower_bound, upper_bound);
}

}  // namespace futurerand
