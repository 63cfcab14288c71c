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

// Shapes are found with coarse weights, which is quick, and written down with fine ones.
constexpr double kFine = 700;
double coarse_scale(double alpha, Period d) {
  return d <= 128 ? kFine : std::clamp(16 / alpha, 128.0, kFine);
}

// Sparse laws are tried above this budget (below it they never pay) and up to this many periods
// (the search would take seconds). One is taken if it lowers the error by a percent or more.
constexpr double kLeastSparseEpsilon = 2;
constexpr Period kMostSparsePeriods = 1024;
constexpr double kSparsePays = 0.99;
constexpr double kHopeless = 1.25;

// The class of devices that a law serves.
struct Served {
  Period num_periods;
  std::uint32_t max_changes;
  Initial initial;

  bool starts_unknown() const { return initial == Initial::kUnknown; }
  // Signs of one lag.
  std::uint32_t per_lag() const { return changes_from_zero(max_changes, initial); }
  // The best alpha is near 1.5 times this.
  double typical_alpha() const {
    return std::sqrt((max_changes + (starts_unknown() ? 0.3 : 0.0)) / num_periods);
  }
};

// The choices of a design: where weights stop falling, how steeply they fall, and how rarely a
// symbol is nonzero.
struct Shape {
  double alpha;
  double power = 1;
  std::uint32_t rarity = 0;
  // Element j is v_j / w_j, the weight of start level j over that of change level j; empty for
  // (w_j + w_m) / 2.
  std::vector<double> start_ratios = {};
};

std::uint32_t rounded_weight(double weight) {
  return std::max(1U, static_cast<std::uint32_t>(std::lround(weight)));
}

// The weights of the square-root factorization of a running sum, q_j = C(2j, j) / 4^j, or a power
// of them, cut where they reach alpha. Gaps and the high side are still to be found. Returns none
// if the levels do not fit.
std::optional<WeightedThresholdLaw> shape_of(const Served& served, const Shape& shape,
                                             double scale) {
  const Period d = served.num_periods;
  const std::uint32_t k = served.max_changes;
  const double alpha = shape.alpha;
  std::vector<double> shares;
  for (double q = 1, j = 0;; ++j, q *= (2 * j - 1) / (2 * j)) {
    const double share = shape.power == 1 ? q : std::pow(q, shape.power);
    if (share <= alpha) break;
    shares.push_back(share - alpha / 2);
    if (shares.size() * served.per_lag() >= d) return std::nullopt;
  }
  if (shares.empty()) return std::nullopt;
  const auto lags = static_cast<std::uint32_t>(shares.size());
  const std::uint32_t steady = d - lags * served.per_lag();
  double squares = steady * alpha * alpha / 4;
  for (const double share : shares) squares += served.per_lag() * share * share;
  // This stays a little below the limit, because weights are rounded.
  const double most = 0.98 * static_cast<double>(WeightedThresholdLaw::kMaxSquares);
  scale = std::min(scale, std::sqrt(most / squares));

  WeightedThresholdLaw law{d, {}, 1, 1, SparseLaw::kUnits >> shape.rarity};
  const std::uint32_t last = rounded_weight(scale * alpha / 2);
  std::vector<std::uint32_t> weights;
  for (const double share : shares) weights.push_back(rounded_weight(scale * share));
  if (k > 0) {
    for (const std::uint32_t weight : weights) law.levels.push_back({k, weight, 1});
  }
  if (served.starts_unknown()) {
    law.start_levels = lags;
    for (std::uint32_t j = 0; j < lags; ++j) {
      const std::uint32_t weight = j < shape.start_ratios.size()
                                       ? rounded_weight(shape.start_ratios[j] * weights[j])
                                       : (weights[j] + last + 1) / 2;
      law.levels.push_back({1, std::min(weight, weights[j]), 1});
    }
  }
  law.levels.push_back({steady, last, 1});
  return law;
}

// Finds the theta that carries the most for its likelihood and, for a coarse law, the side in
// floating point.
void choose_theta(WeightedThresholdLaw& law, double excess) {
  std::vector<WeightedSigns> signs;
  for (const auto& level : law.levels) signs.push_back({level.count, level.weight});
  const ScoreTable<double> table(signs, law.rarity());
  // This leaves a margin over the bound that the certificate checks exactly.
  constexpr double kRarest = 1.001 / WeightedThresholdLaw::kMaxTries;
  double high = 0, moment = 0, best = -1, best_high = 0;
  for (std::uint32_t lost = table.first(); table.score_of(lost) > 0; ++lost) {
    const auto score = static_cast<double>(table.score_of(lost));
    high += table.at(lost);
    moment += score * table.at(lost);
    if (high > 1 - kRarest) break;
    const double carried = excess * moment / (1 + excess * high);
    if (high < kRarest || carried <= best) continue;
    best = carried;
    best_high = high;
    law.theta = static_cast<std::uint32_t>(table.score_of(lost));
  }
  const double side = (1 + excess) * best_high / (1 + excess * best_high);
  law.high_side = static_cast<std::uint64_t>(std::ldexp(std::min(side, 1 - 1e-12), 64));
}

// Writes the gaps that the law has, and returns the mean square of a report.
double measure(WeightedThresholdLaw& law) {
  const std::vector<LevelMoments> moments = moments_of(law);
  constexpr std::uint64_t kMost = std::uint64_t{1} << WeightedThresholdLaw::kGapBits;
  double squares = 0;
  for (std::size_t l = 0; l < moments.size(); ++l) {
    const double units = std::ldexp(moments[l].mean, WeightedThresholdLaw::kGapBits);
    law.levels[l].gap = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(std::max(units, 1.0))), 1, kMost);
    squares += law.levels[l].count * moments[l].square;
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

struct Designed {
  WeightedThresholdLaw law;
  double mean_variance;
};

// Measures a law whose weights are given. None if its gaps do not fall to the steady level's.
std::optional<Designed> measured(WeightedThresholdLaw law) {
  const double mean_square = measure(law);
  const std::vector<std::uint64_t> gaps = law.filter_gaps();
  if (gaps[law.num_lags() - 1] < gaps[law.num_lags()]) return std::nullopt;
  const double mean = mean_of(variances_of(law, law.num_signs, mean_square));
  return Designed{std::move(law), mean};
}

// The ratios of start to change weights that bring 2 S_j close to C_j + C_m. A gap grows faster
// than its weight, so the first guess, half of both weights, is too weak for small lags.
std::vector<double> corrected_ratios(const WeightedThresholdLaw& law) {
  const auto gap_of = [&](std::uint32_t l) { return static_cast<double>(law.levels[l].gap); };
  std::vector<double> ratios;
  for (std::uint32_t j = 0; j < law.start_levels; ++j) {
    const auto& start = law.levels[law.change_levels() + j];
    const double wanted = gap_of(j) + gap_of(law.steady());
    const double weight = std::ceil(start.weight * wanted / (2 * static_cast<double>(start.gap)));
    ratios.push_back(std::min(1.0, weight / law.levels[j].weight));
  }
  return ratios;
}

// The search for the best shape, with coarse weights.
class Search {
 public:
  Search(const Served& served, double excess) : served_(served), excess_(excess) {}

  // Tells whether this shape has a smaller mean variance than all before it.
  bool attempt(Shape shape) {
    constexpr int kCorrections = 3;
    shape.alpha = std::min(0.95, shape.alpha);
    bool better = false;
    for (int round = 0;; ++round) {
      const std::optional<Designed> found = designed(shape);
      if (!found) return better;
      if (found->mean_variance < least_) {
        least_ = found->mean_variance;
        best_ = shape;
        better = true;
      }
      const bool corrects = served_.starts_unknown() && served_.max_changes > 0;
      // Far from the best a correction, worth a few percent, does not help.
      if (!corrects || round == kCorrections ||
          found->mean_variance > kHopeless * kHopeless * least_) {
        return better;
      }
      shape.start_ratios = corrected_ratios(found->law);
    }
  }

  double least() const { return least_; }
  const Shape& best() const { return best_; }

 private:
  std::optional<Designed> designed(const Shape& shape) const {
    std::optional<WeightedThresholdLaw> law =
        shape_of(served_, shape, coarse_scale(shape.alpha, served_.num_periods));
    if (!law) return std::nullopt;
    choose_theta(*law, excess_);
    return measured(*std::move(law));
  }

  Served served_;
  double excess_;
  double least_ = std::numeric_limits<double>::infinity();
  Shape best_{0};
};

// Just below 1 there is one lag, for any d and k.
Search search_signs(const Served& served, double excess) {
  Search search(served, excess);
  const double around = served.typical_alpha();
  for (double factor = 0.5; factor < 3.5; factor *= 1.1) search.attempt({factor * around});
  for (const double finer : {0.05, 0.025, 0.0125}) {
    const double coarse = search.best().alpha;
    search.attempt({(1 - finer) * coarse});
    search.attempt({(1 + finer) * coarse});
  }
  return search;
}

// Goes downhill, one choice at a time: if symbols are mostly zero, the best weights fall less
// steeply and stop higher. It ends at once if the mean variance to beat is far.
Search search_symbols(const Served& served, double excess, double to_beat) {
  constexpr double kLeastPower = 0.25;
  Search search(served, excess);
  search.attempt({2 * served.typical_alpha(), 0.75, 4});
  if (search.least() > kHopeless * to_beat) return search;
  double alpha_step = 1.25, power_step = 0.1;
  const auto move = [&](const Shape& to) {
    const bool in_range = WeightedThresholdLaw::kLeastRarity <= to.rarity &&
                          to.rarity <= WeightedThresholdLaw::kMostRarity && to.power >= kLeastPower;
    return in_range && search.attempt(to);
  };
  const auto improve = [&](bool up) {
    Shape to = search.best();
    to.start_ratios.clear();
    to.alpha *= up ? alpha_step : 1 / alpha_step;
    bool better = move(to);
    to = search.best();
    to.start_ratios.clear();
    to.power += up ? power_step : -power_step;
    better |= move(to);
    to = search.best();
    to.start_ratios.clear();
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

// Writes a law down with the largest side that the budget allows.
std::optional<Designed> finished(const Served& served, const Shape& shape, Epsilon epsilon) {
  std::optional<WeightedThresholdLaw> law = shape_of(served, shape, kFine);
  if (!law) return std::nullopt;
  choose_theta(*law, std::expm1(epsilon.value()));
  law->high_side = largest_high_side(*law, epsilon);
  return measured(*std::move(law));
}

// Does so with fine weights. The ratios of a coarse law are a little off: they are corrected once.
std::optional<Designed> best_of(const Served& served, Shape shape, Epsilon epsilon) {
  std::optional<Designed> best = finished(served, shape, epsilon);
  if (!best || shape.start_ratios.empty()) return best;
  shape.start_ratios = corrected_ratios(best->law);
  const std::optional<Designed> corrected = finished(served, shape, epsilon);
  return corrected && corrected->mean_variance < best->mean_variance ? corrected : best;
}

}  // namespace

std::uint64_t largest_high_side(const WeightedThresholdLaw& law, Epsilon epsilon) {
  // The side is rounded down, from a lower bound of the high side's share, so that the likelier
  // side is never taken too often.
  const BigInt high = high_share(law).at_least;
  const Fraction e = exp_below(epsilon.nanos());
  const BigInt weight = (e.numerator - e.denominator) * high + (e.denominator << 63);
  return BigInt(((e.numerator * high) << 64) / weight).convert_to<std::uint64_t>();
}

std::vector<double> innovation_variances(const WeightedThresholdLaw& law, Period num_periods) {
  return variances_of(law, num_periods, law.mean_square(0));
}

Result<WeightedThresholdLaw> design_innovation(Period num_periods, std::uint32_t max_changes,
                                               Epsilon epsilon, Initial initial, Sparse sparse) {
  const Served served{num_periods, max_changes, initial};
  if (num_periods > WeightedThresholdLaw::kMaxSigns || served.per_lag() >= num_periods) {
    const std::string start = served.starts_unknown() ? " after an unknown start" : "";
    return Error{"innovation cannot serve " + std::to_string(num_periods) + " periods and " +
                 std::to_string(max_changes) + " changes" + start + "; expected at least " +
                 std::to_string(served.per_lag() + 1) + " periods, and at most " +
                 std::to_string(WeightedThresholdLaw::kMaxSigns)};
  }
  const double excess = std::expm1(epsilon.value());
  const Search signs = search_signs(served, excess);
  const std::optional<Designed> of_signs = best_of(served, signs.best(), epsilon);
  if (!of_signs) return Error{"innovation found no levels; expected more periods than changes"};
  const bool may_pay = epsilon.value() > kLeastSparseEpsilon && num_periods <= kMostSparsePeriods;
  if (sparse == Sparse::kNever || !may_pay) return of_signs->law;
  const Search symbols = search_symbols(served, excess, signs.least());
  if (symbols.least() > kSparsePays * kSparsePays * signs.least()) return of_signs->law;
  // Coarse weights are a little off; the fine ones decide.
  const std::optional<Designed> of_symbols = best_of(served, symbols.best(), epsilon);
  const double most = kSparsePays * kSparsePays * of_signs->mean_variance;
  return of_symbols && of_symbols->mean_variance <= most ? of_symbols->law : of_signs->law;
}

}  // namespace futurerand
