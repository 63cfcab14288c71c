#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {

Result<Certificate> certify(const Law& law, Epsilon epsilon) {
  if (const Status valid = validate(law); !valid) return valid.error();
  const Fraction c = gap(law);
  if (c.numerator <= 0) return Error{"the law carries no signal: its gap is not positive"};
  // base^m <= e^epsilon is equivalent to base <= e^(epsilon/m), so no large power is written out.
  const Result<LossRatio> loss = loss_ratio(law);
  if (!loss) return loss.error();
  return Certificate{less_or_equal(loss->base, exp_below(epsilon.nanos(), loss->exponent)),
                     loss->exponent * log(loss->base), to_double(c)};
}

}  // namespace futurerand
