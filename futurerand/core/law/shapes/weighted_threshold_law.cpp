#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "futurerand/core/law/shapes/score_table.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kAllVectors = std::uint64_t{1} << 63;

std::vector<WeightedSigns> signs_of(const WeightedThresholdLaw& law) {
  std::vector<WeightedSigns> signs;
  for (const auto& level : law.levels) signs.push_back({level.count, level.weight});
  return signs;
}

// Returns E0[b; S >= theta] of a sign of this weight. With S' the score without it, this is 1/2
// [P(S' >= theta - w) - P(S' >= theta + w)]: the chance that the sign decides. In terms of losses,
// the others lose more than most - w and at most `most`.
double high_sign(const ScoreTable<double>& table, std::uint32_t w, std::uint32_t most) {
  // p[m] = (p'[m] + p'[m - w]) / 2 is solved for p' from below. Errors alternate in sign and do
  // not grow.
  std::vector<double> others(most + std::size_t{1}, 0.0);
  double decided = 0;
  for (std::uint32_t m = table.first(); m <= std::min(most, table.last()); ++m) {
    others[m] = 2 * table.at(m) - (m >= w ? others[m - w] : 0.0);
    if (m + w > most) decided += others[m];
  }
  return decided / 2;
}

struct HighMoments {
  double mean;
  double square;
};

// Does the same for a symbol that is nonzero with probability 2 h < 1/2. Its plus is on the high
// side if the others lose at most `most`, its minus if they lose at most most - 2w.
HighMoments high_symbol(const ScoreTable<double>& table, std::uint32_t w, std::uint32_t most,
                        double h) {
  // p = h p' + (1 - 2h) p'[- w] + h p'[- 2w] is (h/a) (1 + a Z) (a + Z) p'. Z shifts by w, and a <
  // 1. The first factor is undone from below, the second from above; errors shrink in both. Then
  // element m + w is p' at m.
  const double silent = 1 - 2 * h;
  const double a = (silent - std::sqrt(silent * silent - 4 * h * h)) / (2 * h);
  const std::size_t first = table.first(), last = table.last();
  std::vector<double> others(last + 1, 0.0);
  for (std::size_t m = first; m <= last; ++m) {
    others[m] = table.at(static_cast<std::uint32_t>(m)) * (a / h) -
                (m >= first + w ? a * others[m - w] : 0.0);
  }
  for (std::size_t m = last + 1; m-- > first;) {
    if (m + w <= last) others[m] -= a * others[m + w];
  }
  double if_plus = 0, if_minus = 0;
  for (std::size_t m = first + w; m <= std::min(last, std::size_t{most} + w); ++m) {
    if_plus += others[m];
    if (m + w <= most) if_minus += others[m];
  }
  return {h * (if_plus - if_minus), h * (if_plus + if_minus)};
}

}  // namespace

std::uint32_t WeightedThresholdLaw::total_weight() const {
  std::uint32_t total = 0;
  for (const Level& level : levels) total += level.count * level.weight;
  return total;
}

Status WeightedThresholdLaw::validate() const {
  constexpr std::uint32_t kMaxWeight = (1U << 16) - 1;
  constexpr std::uint64_t kMaxGap = std::uint64_t{1} << kGapBits;
  if (levels.size() < 2 || levels.size() > num_signs) {
    return Error{std::to_string(levels.size()) + " levels are out of range; expected 2 to " +
                 std::to_string(num_signs)};
  }
  if (start_levels > steady() || (start_levels > 0 && change_levels() % start_levels != 0) ||
      change_levels() > num_lags()) {
    return Error{std::to_string(start_levels) + " start levels do not fit " +
                 std::to_string(levels.size()) +
                 " levels; expected as many as there are change levels, or no change level"};
  }
  std::uint64_t signs = 0, squares = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    const std::string where = "level " + std::to_string(l) + ": ";
    if (level.count < 1 || level.count > num_signs) {
      return Error{where + "count " + std::to_string(level.count) +
                   " is out of range; expected 1 to " + std::to_string(num_signs)};
    }
    if (level.weight < 1 || level.weight > kMaxWeight) {
      return Error{where + "weight " + std::to_string(level.weight) +
                   " is out of range; expected 1 to " + std::to_string(kMaxWeight)};
    }
    if (level.gap < 1 || level.gap > kMaxGap) {
      return Error{where + "gap " + std::to_string(level.gap) + " is out of range; expected 1 to " +
                   std::to_string(kMaxGap)};
    }
    signs += level.count;
    squares += std::uint64_t{level.count} * level.weight * level.weight;
  }
  if (signs != num_signs) {
    return Error{"the counts of its levels sum to " + std::to_string(signs) + "; expected its " +
                 std::to_string(num_signs) + " signs"};
  }
  if (squares > kMaxSquares) {
    return Error{"the squares of its weights sum to " + std::to_string(squares) +
                 "; expected at most " + std::to_string(kMaxSquares)};
  }
  const std::vector<std::uint64_t> gaps = filter_gaps();
  if (gaps[num_lags() - 1] < gaps[num_lags()]) {
    return Error{"the gaps of lag " + std::to_string(num_lags() - 1) +
                 " are below those of the steady level; expected gaps that fall with the lag"};
  }
  if (theta < 1 || theta > total_weight()) {
    return Error{"theta " + std::to_string(theta) + " is out of range; expected 1 to " +
                 std::to_string(total_weight())};
  }
  const bool rarely =
      std::has_single_bit(nonzero) && rarity() >= kLeastRarity && rarity() <= kMostRarity;
  if (nonzero != SparseLaw::kUnits && !rarely) {
    return Error{"nonzero " + std::to_string(nonzero) +
                 " is out of range; expected 65536, or a power of two from 512 to 16384"};
  }
  if (high_side == 0) return Error{"high_side is 0; expected 1 to 2^64 - 1"};
  return {};
}

HighShare high_share(const WeightedThresholdLaw& law) {
  const ScoreTable<std::uint64_t> table(signs_of(law), law.rarity());
  const std::uint64_t unit = kAllVectors / table.one();
  const std::uint64_t loud = table.up_to(law.most_lost());
  return {unit * loud, unit * (loud + (table.one() - table.mass()))};
}

// Vectors of the high side have likelihood T / Q, those of the rest (1 - T) / (1 - Q), over a
// uniform draw. The first over the second falls as Q rises, so its bound is at the lower bound of
// Q; the second over the first rises, so that one's is at the upper bound.
Result<LossRatio> WeightedThresholdLaw::loss_ratio() const {
  const HighShare share = high_share(*this);
  constexpr std::uint64_t kLeast = kAllVectors / kMaxTries;
  if (share.at_least < kLeast || share.at_most > kAllVectors - kLeast) {
    return Error{"one of its sides has fewer than one vector in " + std::to_string(kMaxTries) +
                 "; expected another theta"};
  }
  if (high_side / 2 < share.at_most) {
    return Error{"high_side " + std::to_string(high_side) +
                 " is below the high side's share of all vectors; expected at least " +
                 std::to_string(2 * share.at_most)};  // below 2^64: see kLeast
  }
  const BigInt loud = high_side, rest = complement(high_side);
  const Fraction forward{loud * (kAllVectors - share.at_least), rest * share.at_least};
  const Fraction backward{rest * share.at_most, loud * (kAllVectors - share.at_most)};
  return LossRatio{less_or_equal(forward, backward) ? backward : forward, 1};
}

std::vector<std::uint64_t> WeightedThresholdLaw::filter_gaps() const {
  const std::uint64_t last = levels.back().gap;
  std::vector<std::uint64_t> gaps;
  std::uint64_t least = std::uint64_t{2} << kGapBits;  // above every 2 S - C
  for (std::uint32_t j = 0; j < num_lags(); ++j) {
    if (change_levels() > 0) least = std::min(least, levels[j].gap);
    if (start_levels > 0) {
      const std::uint64_t twice = 2 * levels[change_levels() + j].gap;
      least = std::min(least, twice > last ? twice - last : 0);
    }
    gaps.push_back(least);
  }
  gaps.push_back(last);
  return gaps;
}

Fraction WeightedThresholdLaw::gap() const {
  return {BigInt(filter_gaps().front()) + levels.back().gap, two_to(kGapBits)};
}

double WeightedThresholdLaw::mean_square(double) const {
  if (!may_be_zero()) return 1;
  const std::vector<LevelMoments> moments = moments_of(*this);
  double sum = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) sum += levels[l].count * moments[l].square;
  return sum / num_signs;
}

std::vector<LevelMoments> moments_of(const WeightedThresholdLaw& law) {
  const ScoreTable<double> table(signs_of(law), law.rarity());
  const std::uint32_t most = law.most_lost();
  const double loud = table.up_to(most);
  const double side = std::ldexp(static_cast<double>(law.high_side), -64);
  const double rest = (1 - side) / (1 - loud);
  const double lead = side / loud - rest;
  std::map<std::uint32_t, LevelMoments> by_weight;  // levels may share a weight
  std::vector<LevelMoments> moments;
  for (const auto& level : law.levels) {
    const auto [found, is_new] = by_weight.try_emplace(level.weight);
    if (is_new && law.may_be_zero()) {
      const double nonzero = std::ldexp(1.0, -static_cast<int>(law.rarity()));
      const HighMoments symbol = high_symbol(table, level.weight, most, nonzero / 2);
      found->second = {lead * symbol.mean, rest * nonzero + lead * symbol.square};
    } else if (is_new) {
      found->second = {lead * high_sign(table, level.weight, most), 1};
    }
    moments.push_back(found->second);
  }
  return moments;
}

}  // namespace futurerand
