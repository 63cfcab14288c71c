#include <algorithm>
#include <cmath>
#include <vector>

#include "futurerand/core/law/laws.hpp"
#include "futurerand/core/law/quiet_law.hpp"

namespace futurerand {
namespace {

struct Choice {
  std::uint32_t speak = QuietLaw::kUnits;
  std::uint32_t tau = 0;
  double signal = 0;  // gap^2 / null variance
};

// The best tau for one speak, in floating point: a wrong digit costs accuracy, never privacy.
Choice best_tau(std::uint32_t k, double excess, std::uint32_t speak) {
  const double rho = static_cast<double>(speak) / QuietLaw::kUnits;
  std::vector<double> weights(2 * k + 1), next;
  weights[k] = 1;
  for (std::uint32_t factors = 0; factors < k; ++factors) {
    next.assign(weights.size(), 0);
    for (std::uint32_t s = k - factors; s <= k + factors; ++s) {
      next[s - 1] += weights[s] * rho / 2;
      next[s] += weights[s] * (1 - rho);
      next[s + 1] += weights[s] * rho / 2;
    }
    weights.swap(next);
  }
  Choice best{speak};
  double loud = 0, moment = 0;
  for (std::uint32_t score = k; score >= 1; --score) {
    loud += weights[k + score];
    moment += score * weights[k + score];
    const double gap = excess * moment / k / (1 + excess * loud);
    // A margin over the bound that validate() checks exactly.
    const bool bounded = loud > 1.001 / QuietLaw::kMaxTries;
    if (bounded && gap * gap / rho > best.signal) {
      best.tau = score - 1;
      best.signal = gap * gap / rho;
    }
  }
  return best;
}

double noise(const Law& law) {
  const double c = to_double(gap(law));
  return null_variance(law) / (c * c);
}

}  // namespace

QuietLaw quiet(std::uint32_t max_changes, Epsilon epsilon) {
  const std::uint32_t k = max_changes;
  // speak = 2^16 / ratio^step; signal is smooth in it between changes of tau.
  constexpr int kSteps = 96;
  constexpr double kRatio = 1.1;
  Choice best;
  for (int step = 0; step <= kSteps; ++step) {
    const double units = QuietLaw::kUnits / std::pow(kRatio, step) / 2;
    const std::uint32_t speak = 2 * std::max(1U, static_cast<std::uint32_t>(std::lround(units)));
    const Choice choice = best_tau(k, std::expm1(epsilon.value()), speak);
    if (choice.signal > best.signal) best = choice;
  }
  // The loud side, the more likely one, is never taken too often: rounded down, as in `optimal`.
  QuietLaw law{k, best.speak, best.tau, 1};
  const QuietScores scores(law);
  const Fraction e = exp_below(epsilon.nanos());
  const BigInt weight = (e.numerator - e.denominator) * scores.loud + e.denominator * scores.all;
  law.loud_side = BigInt(((e.numerator * scores.loud) << 64) / weight).convert_to<std::uint64_t>();
  return law;
}

Law quietest(std::uint32_t max_changes, Epsilon epsilon) {
  const Law signs = optimal(max_changes, epsilon);
  if (max_changes > QuietLaw::kMaxSigns) return signs;
  const Law law = quiet(max_changes, epsilon);
  return noise(law) < 0.99 * noise(signs) ? law : signs;
}

}  // namespace futurerand
