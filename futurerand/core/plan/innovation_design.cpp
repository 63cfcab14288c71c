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

// Silence is looked at above this budget (below it never pays) and up to so many periods (the
// search would take seconds), and taken where it lowers the error by a percent or more.
constexpr double kLeastSparseEpsilon = 2;
constexpr Period kMostSparsePeriods = 1024;
constexpr double kSparsePays = 0.99;
constexpr double kHopeless = 1.25;

// What a design may choose: where weights stop falling, how steeply they fall, and how rarely a
// symbol speaks.
struct Shape {
  double alpha;
  double power = 1;
  std::uint32_t rarity = 0;
};

// The weights of the square-root factorization of a running sum, q_j = C(2j, j) / 4^j, or a power
// of them, cut where they reach alpha. Gaps and the high side are still to be found. None if the
// stocks do not fit.
std::optional<WeightedThresholdLaw> shape_of(Period d, std::uint32_t k, const Shape& shape,
                                             double scale) {
  const double alpha = shape.alpha;
  std::vector<double> shares;
  for (double q = 1, j = 0;; ++j, q *= (2 * j - 1) / (2 * j)) {
    const double share = shape.power == 1 ? q : std::pow(q, shape.power);
    if (share <= alpha) break;
    shares.push_back(share - alpha / 2);
    if (shares.size() * k >= d) return std::nullopt;
  }
  if (shares.empty()) return std::nullopt;
  const std::uint32_t settled = d - static_cast<std::uint32_t>(shares.size()) * k;
  double squares = settled * alpha * alpha / 4;
  for (const double share : shares) squares += k * share * share;
  // This stays a little below the limit, because weights are rounded.
  const double most = 0.98 * static_cast<double>(WeightedThresholdLaw::kMaxSquares);
  scale = std::min(scale, std::sqrt(most / squares));
  WeightedThresholdLaw law{d, {}, 1, 1, SparseLaw::kUnits >> shape.rarity};
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
  const ScoreTable<double> table(signs, law.rarity());
  // This leaves a margin over the bound that the certificate checks exactly.
  constexpr double kRarest = 1.001 / WeightedThresholdLaw::kMaxTries;
  double loud = 0, moment = 0, best = -1, best_high = 0;
  for (std::uint32_t lost = table.first(); table.score_of(lost) > 0; ++lost) {
    const auto score = static_cast<double>(table.score_of(lost));
    loud += table.at(lost);
    moment += score * table.at(lost);
    if (loud > 1 - kRarest) break;
    const double carried = excess * moment / (1 + excess * loud);
    if (loud < kRarest || carried <= best) continue;
    best = carried;
    best_high = loud;
    law.theta = static_cast<std::uint32_t>(table.score_of(lost));
  }
  const double side = (1 + excess) * best_high / (1 + excess * best_high);
  law.high_side = static_cast<std::uint64_t>(std::ldexp(std::min(side, 1 - 1e-12), 64));
}

// Writes the gaps that the law has, and returns the mean square of a report.
double measure(WeightedThresholdLaw& law) {
  const std::vector<LevelMoments> moments = moments_of(law);
  std::uint64_t most = std::uint64_t{1} << WeightedThresholdLaw::kGapBits;
  double squares = 0;
  for (std::size_t l = 0; l < moments.size(); ++l) {
    const double units = std::ldexp(moments[l].mean, WeightedThresholdLaw::kGapBits);
    law.levels[l].gap = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(std::max(units, 1.0))), 1, most);
    most = law.levels[l].gap;
    squares += law.levels[l].stock * moments[l].square;
  }
  return law.may_be_zero() ? squares / law.num_signs : 1;
}

std::vector<double> variances_of(const WeightedThresholdLaw& law, Period d, double mean_square) {
  const InnovationFilter filter(law);
  std::vector<double> variances = filter.response(d);
  double sum = 0;
  for (double& r : variances) {
    sum += r * r;
    r = sum * mean_square / (filter.kappa * filter.kappa);
  }
  return variances;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The search for the best shape, with coarse weights.
class Search {
 public:
  Search(Period d, std::uint32_t k, double excess) : d_(d), k_(k), excess_(excess) {}

  // Tells whether this shape has a smaller mean variance than all before it.
  bool attempt(Shape shape) {
    shape.alpha = std::min(0.95, shape.alpha);
    std::optional<WeightedThresholdLaw> law = shape_of(d_, k_, shape, coarse_scale(shape.alpha));
    if (!law) return false;
    choose_theta(*law, excess_);
    const double mean_square = measure(*law);
    const double mean = mean_of(variances_of(*law, d_, mean_square));
    if (!(mean < least_)) return false;
    least_ = mean;
    best_ = shape;
    return true;
  }

  double least() const { return least_; }
  const Shape& best() const { return best_; }

 private:
  Period d_;
  std::uint32_t k_;
  double excess_;
  double least_ = std::numeric_limits<double>::infinity();
  Shape best_{0};
};

// The best alpha is near 1.5 sqrt(k/d). Just below 1 there is one level beside the settled one, for
// any d and k.
Search search_signs(Period d, std::uint32_t k, double excess) {
  Search search(d, k, excess);
  const double around = std::sqrt(static_cast<double>(k) / d);
  for (double factor = 1; factor < 3.5; factor *= 1.2) search.attempt({factor * around});
  const double coarse = search.best().alpha;
  for (const double step : {0.93, 1.07}) search.attempt({step * coarse});
  return search;
}

// Goes downhill, one choice at a time: where symbols are mostly silent, weights fall less steeply
// and stop higher. It ends at once where the mean variance to beat is far.
Search search_symbols(Period d, std::uint32_t k, double excess, double to_beat) {
  constexpr double kLeastPower = 0.25;
  Search search(d, k, excess);
  search.attempt({2 * std::sqrt(static_cast<double>(k) / d), 0.75, 4});
  if (search.least() > kHopeless * to_beat) return search;
  double alpha_step = 1.25, power_step = 0.1;
  const auto move = [&](const Shape& to) {
    const bool in_range = WeightedThresholdLaw::kLeastRarity <= to.rarity &&
                          to.rarity <= WeightedThresholdLaw::kMostRarity && to.power >= kLeastPower;
    return in_range && search.attempt(to);
  };
  const auto improve = [&](bool up) {
    Shape to = search.best();
    to.alpha *= up ? alpha_step : 1 / alpha_step;
    bool better = move(to);
    to = search.best();
    to.power += up ? power_step : -power_step;
    better |= move(to);
    to = search.best();
    to.rarity += up ? 1U : -1U;
    better |= move(to);
    // The best weights of rarer symbols fall less steeply and stop higher again.
    to.alpha *= up ? alpha_step : 1 / alpha_step;
    to.power += up ? -power_step : power_step;
    return move(to) || better;
  };
  for (int round = 0; round < 2; ++round) {
    for (bool better = true; better;) {
      better = improve(true);
      better |= improve(false);
    }
    alpha_step = std::sqrt(alpha_step);
    power_step /= 2;
  }
  return search;
}

struct Designed {
  WeightedThresholdLaw law;
  double mean_variance;
};

// Writes a shape down with fine weights, and with the largest side that the budget allows.
std::optional<Designed> finished(Period d, std::uint32_t k, const Shape& shape, Epsilon epsilon) {
  std::optional<WeightedThresholdLaw> law = shape_of(d, k, shape, kFine);
  if (!law) return std::nullopt;
  choose_theta(*law, std::expm1(epsilon.value()));
  law->high_side = largest_high_side(*law, epsilon);
  const double mean_square = measure(*law);
  const double mean_variance = mean_of(variances_of(*law, d, mean_square));
  return Designed{*std::move(law), mean_variance};
}

}  // namespace

std::uint64_t largest_high_side(const WeightedThresholdLaw& law, Epsilon epsilon) {
  // The side is rounded down, from a lower bound of the loud share, so that the likelier side is
  // never taken too often.
  const BigInt loud = high_share(law).at_least;
  const Fraction e = exp_below(epsilon.nanos());
  const BigInt weight = (e.numerator - e.denominator) * loud + (e.denominator << 63);
  return BigInt(((e.numerator * loud) << 64) / weight).convert_to<std::uint64_t>();
}

std::vector<double> innovation_variances(const WeightedThresholdLaw& law, Period num_periods) {
  return variances_of(law, num_periods, law.mean_square(0));
}

Result<WeightedThresholdLaw> design_innovation(Period num_periods, std::uint32_t max_changes,
                                               Epsilon epsilon, Silence silence) {
  const Period d = num_periods;
  const std::uint32_t k = max_changes;
  if (d > WeightedThresholdLaw::kMaxSigns || k >= d) {
    return Error{"innovation cannot serve " + std::to_string(d) + " periods and " +
                 std::to_string(k) + " changes; expected more periods than changes, and at most " +
                 std::to_string(WeightedThresholdLaw::kMaxSigns)};
  }
  const double excess = std::expm1(epsilon.value());
  const Search signs = search_signs(d, k, excess);
  const std::optional<Designed> of_signs = finished(d, k, signs.best(), epsilon);
  if (!of_signs) return Error{"innovation found no levels; expected more periods than changes"};
  const bool worth_a_look = epsilon.value() > kLeastSparseEpsilon && d <= kMostSparsePeriods;
  if (silence == Silence::kNever || !worth_a_look) return of_signs->law;
  const Search symbols = search_symbols(d, k, excess, signs.least());
  if (symbols.least() > kSparsePays * kSparsePays * signs.least()) return of_signs->law;
  // Coarse weights are a little off; the fine ones decide.
  const std::optional<Designed> quiet = finished(d, k, symbols.best(), epsilon);
  const double most = kSparsePays * kSparsePays * of_signs->mean_variance;
  return quiet && quiet->mean_variance <= most ? quiet->law : of_signs->law;
}

}  // namespace futurerand
