#include "futurerand/core/privacy/certificate.hpp"

#include <algorithm>

namespace futurerand {

LossRatio loss_ratio(const Law& law) {
  if (const auto* product = std::get_if<ProductLaw>(&law)) {
    return {{two_to(64) - product->flip, product->flip}, product->num_signs};
  }
  std::vector<Fraction> extremes = extreme_likelihoods(law);
  const auto below = [](const Fraction& a, const Fraction& b) { return !less_or_equal(b, a); };
  const auto [smallest, largest] = std::minmax_element(extremes.begin(), extremes.end(), below);
  return {{largest->numerator * smallest->denominator, largest->denominator * smallest->numerator},
          1};
}

Result<Certificate> certify(const Law& law, Epsilon epsilon) {
  if (const Status valid = validate(law); !valid) return valid.error();
  const Fraction c = gap(law);
  if (c.numerator <= 0) return Error{"the law carries no signal: its gap is not positive"};
  // base^m <= e^epsilon if and only if base <= e^(epsilon/m): no large power is written out.
  const LossRatio loss = loss_ratio(law);
  return Certificate{less_or_equal(loss.base, exp_below(epsilon.nanos(), loss.exponent)),
                     loss.exponent * log(loss.base), to_double(c)};
}

}  // namespace futurerand
