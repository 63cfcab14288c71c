#include "futurerand/core/law/bun.hpp"

#include "futurerand/core/law/annulus.hpp"

namespace futurerand {
namespace {

// Finds y = ln(1/lambda) with lambda^1.5 sqrt(ln(1/lambda)) = epsilon / (12 (k+1)). The left side
// rises with lambda up to e^(-1/3) and falls after it. Privacy needs the root below e^(-1/3), so y
// > 1/3. There 1.5 y - 0.5 ln y grows, and y <- (ln(1/right) + 0.5 ln y) / 1.5 contracts by 1/(3y).
LongFloat log_inverse_lambda(const LongFloat& k, const LongFloat& epsilon) {
  const LongFloat target = log(12 * (k + 1) / epsilon);
  LongFloat y = target;
  for (int i = 0; i < 150; ++i) y = (target + log(y) / 2) / LongFloat(1.5);
  return y;
}

}  // namespace

// [OWW22] appendix, composed randomizer of [BNS19].
AnnulusLaw bun(std::uint32_t max_changes, Epsilon epsilon) {
  const LongFloat k = max_changes;
  const LongFloat y = log_inverse_lambda(k, to_long_float(epsilon));
  const LongFloat basic_epsilon = to_long_float(epsilon) / (6 * sqrt(k * y));
  const LongFloat centre = k / (exp(basic_epsilon) + 1);
  const LongFloat width = sqrt(k / 2 * (log(LongFloat(2)) + y));
  return annulus(max_changes, basic_epsilon, centre - width, centre + width);
}

}  // namespace futurerand
