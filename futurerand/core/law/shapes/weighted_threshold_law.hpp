// WeightedThresholdLaw: signs have levels, and those of a level weigh the same. The score of a
// vector is the sum of its weighted signs. With probability high_side / 2^64 a uniform vector with
// a score of at least theta, else a uniform one of the rest. core/law/innovation.md has the proofs.
//
// Where it is quiet, a symbol speaks with probability speak / 2^16, a fair sign then, and is silent
// otherwise; "uniform" is then "like independent symbols of this kind".
//
// Unlike the other shapes it is not symmetric: what a sign carries depends on its level. The
// functions are those of law.hpp, and some of its own.
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
  // The rarest that a sparse law speaks is once in 2^7, the most often once in 2^2.
  static constexpr std::uint32_t kLeastRarity = 2;
  static constexpr std::uint32_t kMostRarity = 7;
  // Gaps are in units of 2^-40.
  static constexpr std::uint32_t kGapBits = 40;
  // Both sides have at least one vector in so many, so that drawing by rejection takes bounded
  // time.
  static constexpr std::uint32_t kMaxTries = 1024;
  // This is the largest sum of squared weights, and so what a hostile plan can make a certificate
  // cost.
  static constexpr std::uint64_t kMaxSquares = std::uint64_t{1} << 26;

  struct Level {
    std::uint32_t stock;   // how many signs it has
    std::uint32_t weight;  // the weight of each of them
    std::uint64_t gap;     // G: the mean of each, in units of 2^-40; used for accuracy only
    friend bool operator==(const Level&, const Level&) = default;
  };

  std::uint32_t num_signs;
  std::vector<Level> levels;  // from the freshest innovation to "settled", the last
  std::uint32_t theta;
  std::uint64_t high_side;
  std::uint32_t nonzero = SparseLaw::kUnits;  // a power of two: always, or rarely

  // Checks ranges, that there are at least two levels, and that gaps do not increase.
  Status validate() const;
  // The ratio is an upper bound, exact for few signs (score_table.hpp). The call fails where a side
  // is too rare to be drawn, or the high side is taken more rarely than by chance.
  Result<LossRatio> loss_ratio() const;
  // Returns kappa, the mean of a report for one unit of innovation.
  Fraction gap() const;
  // Returns the mean square of a report that uses any of the signs, the same for all shares. It
  // takes as long as a certificate where the law is quiet.
  double mean_square(double) const;

  std::uint32_t settled() const { return static_cast<std::uint32_t>(levels.size()) - 1; }
  std::uint32_t total_weight() const;
  bool may_be_zero() const { return nonzero < SparseLaw::kUnits; }
  // A symbol speaks with probability 2^-rarity.
  std::uint32_t rarity() const {
    return static_cast<std::uint32_t>(std::countr_zero(SparseLaw::kUnits) -
                                      std::countr_zero(nonzero));
  }
  // The score is at least theta exactly where at most this much is lost: by each minus its weight
  // or, where the law is quiet, twice its weight, and once by silence.
  std::uint32_t most_lost() const {
    return may_be_zero() ? total_weight() - theta : (total_weight() - theta) / 2;
  }

  friend bool operator==(const WeightedThresholdLaw&, const WeightedThresholdLaw&) = default;
};

// Returns the loud share Q of all vectors, between two bounds in units of 2^-63.
struct HighShare {
  std::uint64_t at_least;
  std::uint64_t at_most;

  bool exact() const { return at_least == at_most; }
};

// Requires a law that passed validate(); high_side and gaps are not looked at.
HighShare high_share(const WeightedThresholdLaw& law);

// The mean and the mean square of a symbol of one level, in floating point.
struct LevelMoments {
  double mean;  // what the level's gap should be
  double square;
};

// Returns those of all levels. Requires a law that passed validate(); gaps are not looked at.
std::vector<LevelMoments> moments_of(const WeightedThresholdLaw& law);

}  // namespace futurerand
