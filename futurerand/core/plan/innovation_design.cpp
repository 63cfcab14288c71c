#include "futurerand/core/plan/innovation_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "futurerand/core/law/shapes/score_table.hpp"
#include "futurerand/core/plan/innovation_filter.hpp"

namespace futurerand {
namespace {

// Shapes of weights are found with coarse ones, which is quick, and written down with fine ones.
constexpr double kFine = 700;
double coarse_scale(double alpha) { return std::clamp(8 / alpha, 64.0, kFine); }

// The weights of the square-root factorization of a running sum, q_j = C(2j, j) / 4^j, cut where
// they reach alpha. Gaps and the loud side are still to be found. None if the stocks do not fit.
std::optional<WeightedThresholdLaw> shape_of(Period d, std::uint32_t k, double alpha,
                                             double scale) {
  std::vector<double> shares;
  for (double q = 1, j = 0; q > alpha; ++j, q *= (2 * j - 1) / (2 * j)) {
    shares.push_back(q - alpha / 2);
    if (shares.size() * k >= d) return std::nullopt;
  }
  if (shares.empty()) return std::nullopt;
  const std::uint32_t settled = d - static_cast<std::uint32_t>(shares.size()) * k;
  double squares = settled * alpha * alpha / 4;
  for (const double share : shares) squares += k * share * share;
  // This stays a little below the limit, because weights are rounded.
  const double most = 0.98 * static_cast<double>(WeightedThresholdLaw::kMaxSquares);
  scale = std::min(scale, std::sqrt(most / squares));
  WeightedThresholdLaw law{d, {}, 1, 1};
  const auto add = [&](std::uint32_t stock, double share) {
    const auto weight = static_cast<std::uint32_t>(std::lround(scale * share));
    law.levels.push_back({stock, std::max(1U, weight), 1});
  };
  for (const double share : shares) add(k, share);
  add(settled, alpha / 2);
  return law;
}

// Finds the theta that carries the most for its likelihood and, for a coarse law, the side in
// floating point.
void choose_theta(WeightedThresholdLaw& law, double excess) {
  std::vector<WeightedSigns> signs;
  for (const auto& level : law.levels) signs.push_back({level.stock, level.weight});
  const ScoreTable<double> table(signs);
  // This leaves a margin over the bound that the certificate checks exactly.
  constexpr double kRarest = 1.001 / WeightedThresholdLaw::kMaxTries;
  double loud = 0, moment = 0, best = -1, best_loud = 0;
  for (std::uint32_t minus = table.first(); 2 * minus < table.total(); ++minus) {
    const double score = static_cast<double>(table.total()) - 2.0 * minus;
    loud += table.at(minus);
    moment += score * table.at(minus);
    if (loud > 1 - kRarest) break;
    const double carried = excess * moment / (1 + excess * loud);
    if (loud < kRarest || carried <= best) continue;
    best = carried;
    best_loud = loud;
    law.theta = table.total() - 2 * minus;
  }
  const double side = (1 + excess) * best_loud / (1 + excess * best_loud);
  law.loud_side = static_cast<std::uint64_t>(std::ldexp(std::min(side, 1 - 1e-12), 64));
}

void measure_gaps(WeightedThresholdLaw& law) {
  const std::vector<double> gaps = gaps_of(law);
  std::uint64_t most = std::uint64_t{1} << WeightedThresholdLaw::kGapBits;
  for (std::size_t l = 0; l < gaps.size(); ++l) {
    const double units = std::ldexp(gaps[l], WeightedThresholdLaw::kGapBits);
    law.levels[l].gap = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(std::max(units, 1.0))), 1, most);
    most = law.levels[l].gap;
  }
}

double mean_variance(const WeightedThresholdLaw& law, Period d) {
  const std::vector<double> variances = innovation_variances(law, d);
  return std::accumulate(variances.begin(), variances.end(), 0.0) / d;
}

}  // namespace

std::uint64_t largest_loud_side(const WeightedThresholdLaw& law, Epsilon epsilon) {
  // The side is rounded down, from a lower bound of the loud share, so that the likelier side is
  // never taken too often.
  const BigInt loud = loud_share(law).at_least;
  const Fraction e = exp_below(epsilon.nanos());
  const BigInt weight = (e.numerator - e.denominator) * loud + (e.denominator << 63);
  return BigInt(((e.numerator * loud) << 64) / weight).convert_to<std::uint64_t>();
}

std::vector<double> innovation_variances(const WeightedThresholdLaw& law, Period num_periods) {
  const InnovationFilter filter(law);
  std::vector<double> variances = filter.response(num_periods);
  double sum = 0;
  for (double& r : variances) {
    sum += r * r;
    r = sum / (filter.kappa * filter.kappa);
  }
  return variances;
}

Result<WeightedThresholdLaw> design_innovation(Period num_periods, std::uint32_t max_changes,
                                               Epsilon epsilon) {
  const Period d = num_periods;
  const std::uint32_t k = max_changes;
  if (d > WeightedThresholdLaw::kMaxSigns || k >= d) {
    return Error{"innovation cannot serve " + std::to_string(d) + " periods and " +
                 std::to_string(k) + " changes; expected more periods than changes, and at most " +
                 std::to_string(WeightedThresholdLaw::kMaxSigns)};
  }
  const double excess = std::expm1(epsilon.value());
  double best_alpha = 0, least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](double alpha) {
    std::optional<WeightedThresholdLaw> law = shape_of(d, k, alpha, coarse_scale(alpha));
    if (!law) return;
    choose_theta(*law, excess);
    measure_gaps(*law);
    if (const double mean = mean_variance(*law, d); mean < least) least = mean, best_alpha = alpha;
  };
  // The best alpha is near 1.5 sqrt(k/d). Just below 1 there is one level beside the settled one,
  // for any d and k.
  const double around = std::sqrt(static_cast<double>(k) / d);
  for (double factor = 1; factor < 3.5; factor *= 1.2) attempt(std::min(0.95, factor * around));
  const double coarse = best_alpha;
  for (const double step : {0.93, 1.07}) attempt(std::min(0.95, step * coarse));

  std::optional<WeightedThresholdLaw> law = shape_of(d, k, best_alpha, kFine);
  if (!law) return Error{"innovation found no levels; expected more periods than changes"};
  choose_theta(*law, excess);
  law->loud_side = largest_loud_side(*law, epsilon);
  measure_gaps(*law);
  return *law;
}

}  // namespace futurerand
