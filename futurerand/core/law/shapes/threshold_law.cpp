#include "futurerand/core/law/shapes/threshold_law.hpp"

#include <string>

namespace futurerand {
namespace {

// Returns the sum of C(k,i) for i <= tau.
BigInt low_vectors(const ThresholdLaw& law) {
  BigInt sum;
  for (BinomialRow row(law.num_signs); row.index() <= law.tau; row.advance()) sum += row.value();
  return sum;
}

}  // namespace

Status ThresholdLaw::validate() const {
  if (tau >= num_signs) {
    return Error{"tau " + std::to_string(tau) + " is out of range; expected 0 to " +
                 std::to_string(num_signs - 1)};
  }
  if (low_side == 0) return Error{"low-side threshold is 0; expected 1 to 2^64 - 1"};
  return {};
}

Fraction ThresholdLaw::probability(std::uint32_t minus, std::uint32_t) const {
  const BigInt low = low_vectors(*this);
  if (minus <= tau) return {low_side, low << 64};
  return {complement(low_side), (two_to(num_signs) - low) << 64};
}

LossRatio ThresholdLaw::loss_ratio() const {
  return loss_between({probability(tau, 0), probability(tau + 1, 0)});
}

// Because the sum over i <= tau of C(k,i) (k - 2i) is k C(k-1, tau), c = C(k-1,tau) (P(low) -
// P(high)).
Fraction ThresholdLaw::gap() const {
  const BigInt low = low_vectors(*this);
  const BigInt high = two_to(num_signs) - low;
  const BigInt lead = high * low_side - low * complement(low_side);
  return {binomial(num_signs - 1, tau) * lead, (low * high) << 64};
}

}  // namespace futurerand
