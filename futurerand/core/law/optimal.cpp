#include "futurerand/core/law/optimal.hpp"

namespace futurerand {

// Finds the largest gap of all symmetric laws with max P / min P <= e^epsilon; see optimal.md.
ThresholdLaw optimal(std::uint32_t max_changes, Epsilon epsilon) {
  const std::uint32_t k = max_changes;
  const Fraction e = exp_below(epsilon.nanos());
  const BigInt excess = e.numerator - e.denominator;
  const BigInt all = e.denominator << k;

  // c(tau) is proportional to C(k-1,tau) / ((E-1) B + 2^k); the largest is found by
  // cross-multiplying.
  BinomialRow row(k), shorter_row(k - 1);
  BigInt low = 0, best_low, best_lead = 0, best_weight = 1;
  std::uint32_t best_tau = 0;
  for (std::uint32_t tau = 0; tau <= (k - 1) / 2; ++tau, row.advance(), shorter_row.advance()) {
    low += row.value();
    const BigInt weight = excess * low + all;
    if (shorter_row.value() * best_weight > best_lead * weight) {
      best_tau = tau;
      best_low = low;
      best_lead = shorter_row.value();
      best_weight = weight;
    }
  }
  // The result is rounded down, so that the low side, the likelier one, is never taken too often.
  const BigInt low_side = ((e.numerator * best_low) << 64) / best_weight;
  return {k, best_tau, low_side.convert_to<std::uint64_t>()};
}

}  // namespace futurerand
