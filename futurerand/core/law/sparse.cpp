#include "futurerand/core/law/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/shapes/sparse_moments.hpp"
#include "futurerand/core/law/shapes/sparse_scores.hpp"

namespace futurerand {
namespace {

struct Choice {
  std::uint32_t nonzero = SparseLaw::kUnits;
  std::uint32_t tau = 0;
  double noise = std::numeric_limits<double>::infinity();  // mean_square / gap^2
};

// Finds the best threshold for one value of `nonzero`, with the largest high side within epsilon.
// Floating point suffices, because a wrong digit costs accuracy and not privacy. With mostly zero
// positions, a threshold above a few symbols never pays.
Choice best_tau(std::uint32_t k, std::uint32_t nonzero, double excess, double changed_share) {
  constexpr std::uint32_t kMostTau = 4;
  const SparseMoments symbol(k, nonzero);
  Choice best{nonzero};
  for (std::uint32_t tau = 0; tau < std::min(k, kMostTau); ++tau) {
    const SparseMoments::Loud loud = symbol.loud(tau);
    // This leaves a margin over the exact bound of validate().
    if (loud.chance < 1.001 / SparseLaw::kMaxTries) break;
    const double rest = 1 / (1 + excess * loud.chance);  // likelihood ratio of the rest
    const double gap = rest * excess * loud.mean;
    const double changed = rest * (symbol.square() + excess * loud.square);
    const double square = (1 - changed_share) * symbol.square() + changed_share * changed;
    if (square / (gap * gap) < best.noise) best = {nonzero, tau, square / (gap * gap)};
  }
  return best;
}

std::uint32_t speak_after(double units) {
  return 2 * std::max(1U, static_cast<std::uint32_t>(std::lround(units / 2)));
}

double noise_of(const Law& law, double changed_share) {
  const double c = to_double(gap(law));
  return mean_square(law, changed_share) / (c * c);
}

// The result is rounded down as in `optimal`: the high side, the likelier one, is never taken too
// often.
std::uint64_t largest_high_side(const SparseLaw& law, Epsilon epsilon) {
  const SparseScores scores(law);
  const Fraction e = exp_below(epsilon.nanos());
  const BigInt weight = (e.numerator - e.denominator) * scores.loud + e.denominator * scores.all;
  return BigInt(((e.numerator * scores.loud) << 64) / weight).convert_to<std::uint64_t>();
}

}  // namespace

SparseLaw quiet(std::uint32_t max_changes, Epsilon epsilon, double changed_share) {
  // The search halves from always speaking and then looks more finely around the best.
  const double excess = std::expm1(epsilon.value());
  Choice best;
  const auto try_units = [&](double units) {
    if (units > SparseLaw::kUnits) return;
    const Choice choice = best_tau(max_changes, speak_after(units), excess, changed_share);
    if (choice.noise < best.noise) best = choice;
  };
  for (double units = SparseLaw::kUnits; units >= 2; units /= 2) try_units(units);
  const double around = best.nonzero;
  for (int step = -7; step <= 7; ++step) try_units(around * std::exp2(step / 8.0));

  SparseLaw law{max_changes, best.nonzero, best.tau, 1};
  law.high_side = largest_high_side(law, epsilon);
  return law;
}

Law quietest(std::uint32_t max_changes, Epsilon epsilon, double changed_share) {
  const Law signs = optimal(max_changes, epsilon);
  if (max_changes > SparseLaw::kMaxSigns) return signs;
  const Law law = quiet(max_changes, epsilon, changed_share);
  return noise_of(law, changed_share) < 0.99 * noise_of(signs, changed_share) ? law : signs;
}

}  // namespace futurerand
