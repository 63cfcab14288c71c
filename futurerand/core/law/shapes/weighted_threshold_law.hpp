// WeightedThresholdLaw: the signs of a level have one weight, and the score of a vector is the sum
// of its weighted signs. With probability high_side / 2^64 the vector is uniform among those with a
// score of at least theta, else uniform among the rest. core/law/innovation.md has the proofs.
//
// In a sparse law a symbol is a fair sign with probability nonzero / 2^16, and zero otherwise.
// "Uniform" then means "like independent symbols of this kind".
//
// The levels are, in this order: a change level for each lag 0..m-1 (none if a plan allows no
// changes), a start level for each lag 0..m-1 (none if everybody starts at 0), and the steady
// level. Unlike the other shapes the law is not symmetric: the mean of a sign depends on its level.
// The functions are those of law.hpp, and some of its own.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/shapes/loss_ratio.hpp"
#include "futurerand/core/law/shapes/sparse_law.hpp"
#include "futurerand/core/law/shapes/threshold64.hpp"

namespace futurerand {

struct WeightedThresholdLaw {
  static constexpr std::uint32_t kMaxSigns = 4096;
  // A symbol of a sparse law is nonzero with a probability from 2^-7 to 2^-2.
  static constexpr std::uint32_t kLeastRarity = 2;
  static constexpr std::uint32_t kMostRarity = 7;
  // Gaps are in units of 2^-40.
  static constexpr std::uint32_t kGapBits = 40;
  // Both sides have at least one vector in this number, so drawing by rejection takes bounded time.
  static constexpr std::uint32_t kMaxTries = 1024;
  // This is the largest sum of squared weights, and so what a hostile plan can make a certificate
  // cost.
  static constexpr std::uint64_t kMaxSquares = std::uint64_t{1} << 26;

  struct Level {
    std::uint32_t count;   // how many signs it has
    std::uint32_t weight;  // the weight of each of them
    std::uint64_t gap;     // G: the mean of each, in units of 2^-40; used for accuracy only
    friend bool operator==(const Level&, const Level&) = default;
  };

  std::uint32_t num_signs;
  std::vector<Level> levels;
  std::uint32_t theta;
  std::uint64_t high_side;
  std::uint32_t nonzero = SparseLaw::kUnits;  // a power of two
  std::uint32_t start_levels = 0;             // m if the start is unknown, else 0

  // Checks ranges, the number of levels, and a falling order of filter_gaps() down to the steady
  // level's.
  Status validate() const;
  // The ratio is an upper bound, exact for few signs (score_table.hpp). The call fails if a side is
  // too rare for drawing, or if the high side is less likely than by chance.
  Result<LossRatio> loss_ratio() const;
  // Returns kappa, the mean of a report for one unit of innovation.
  Fraction gap() const;
  // Returns the mean square of a report with any of the signs, the same for all shares. For a
  // sparse law it takes as long as a certificate.
  double mean_square(double) const;

  // Returns m, the number of lags.
  std::uint32_t num_lags() const { return start_levels > 0 ? start_levels : steady(); }
  std::uint32_t change_levels() const { return steady() - start_levels; }
  std::uint32_t steady() const { return static_cast<std::uint32_t>(levels.size()) - 1; }
  // Returns G_0..G_m, the gaps for the computations of devices and server. With C and S the gaps of
  // the change and the start levels, G_m = C_m and G_j = min(C_j, 2 S_j - C_m, G_{j-1}). Then a
  // level is strong enough for every possible report, for any integers.
  std::vector<std::uint64_t> filter_gaps() const;
  std::uint32_t total_weight() const;
  bool may_be_zero() const { return nonzero < SparseLaw::kUnits; }
  // A symbol is nonzero with probability 2^-rarity.
  std::uint32_t rarity() const {
    return static_cast<std::uint32_t>(std::countr_zero(SparseLaw::kUnits) -
                                      std::countr_zero(nonzero));
  }
  // The score is at least theta exactly if at most this much is lost. A minus loses its weight; in
  // a sparse law it loses twice its weight, and a zero loses it once.
  std::uint32_t most_lost() const {
    return may_be_zero() ? total_weight() - theta : (total_weight() - theta) / 2;
  }

  friend bool operator==(const WeightedThresholdLaw&, const WeightedThresholdLaw&) = default;
};

// Returns the high side's share Q of all vectors, between two bounds in units of 2^-63.
struct HighShare {
  std::uint64_t at_least;
  std::uint64_t at_most;

  bool exact() const { return at_least == at_most; }
};

// Requires a valid law (validate()); high_side and gaps are ignored.
HighShare high_share(const WeightedThresholdLaw& law);

// The mean and the mean square of a symbol of one level, in floating point.
struct LevelMoments {
  double mean;  // the right gap of the level
  double square;
};

// Returns those of all levels. Requires a valid law (validate()); gaps are ignored.
std::vector<LevelMoments> moments_of(const WeightedThresholdLaw& law);

}  // namespace futurerand
