// ScoreTable: the distribution of a weighted law's score over fair signs, built by adding one sign
// at a time. The score is the sum of the weights of the plus signs less that of the minus signs.
// The table is over the loss against the largest score; the loss determines the score. Without zero
// symbols only a minus loses: its weight, half of the fall of the score. With nonzero symbols of
// probability 2^-rarity, a zero loses its weight and a minus twice that.
//
// With integers every step rounds down. Scores more than 9 standard deviations (of nonzero signs)
// from the middle are cut off. So each entry, and each sum of entries, is a lower bound. It is
// exact for up to 63 nonzero signs, and for up to 63 / (rarity + 1) - 1 symbols. Then no step
// rounds, because each divides a multiple of its divisor. And nothing is cut off, because n signs
// deviate by at most sqrt(n) standard deviations.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace futurerand {

struct WeightedSigns {
  std::uint32_t count;
  std::uint32_t weight;
};

// Returns the largest integer with a square of at most `square`.
constexpr std::uint32_t root_below(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= square) root |= bit;
  }
  return static_cast<std::uint32_t>(root);
}

// Value is std::uint64_t, a probability times 2^63 (2^(62 - rarity) with zero symbols), or double.
template <typename Value>
class ScoreTable {
 public:
  // Requires weights of at least 1 and below 2^16, a sum of squares below 2^32, and a rarity of at
  // most 8. The work is at most the number of signs times 9 roots of that sum, or 18 with zero
  // symbols. Light signs come first, while the table is short. Signs of the lightest weight touch
  // only its multiples; most signs of a design have it.
  explicit ScoreTable(std::vector<WeightedSigns> signs, std::uint32_t rarity = 0)
      : rarity_(rarity), most_lost_(rarity == 0 ? 1 : 2) {
    std::sort(signs.begin(), signs.end(),
              [](const WeightedSigns& a, const WeightedSigns& b) { return a.weight < b.weight; });
    std::uint32_t total = 0;
    for (const WeightedSigns& level : signs) {
      margin_ = std::max(margin_, most_lost_ * level.weight);
      total += level.count * level.weight;
    }
    total_ = total;
    // Around the window there is room for one more sign on either side.
    from_.assign(std::size_t{most_lost_} * total + 1 + 2 * std::size_t{margin_}, Value{0});
    to_ = from_;
    from_[margin_] = one();
    std::uint32_t sum = 0;
    std::uint64_t squares = 0;
    for (const WeightedSigns& level : signs) {
      for (std::uint32_t i = 0; i < level.count; ++i) {
        sum += level.weight;
        squares += std::uint64_t{level.weight} * level.weight;
        add_sign(level.weight, sum, squares);
      }
    }
    to_.clear();
  }

  // Returns the value of a probability of 1.
  Value one() const {
    if constexpr (std::is_integral_v<Value>) {
      return std::uint64_t{1} << (rarity_ == 0 ? 63 : 62 - rarity_);
    } else {
      return Value{1};
    }
  }
  // Returns the sum of all weights: the largest score.
  std::uint32_t total() const { return total_; }
  // Requires a possible loss.
  std::int64_t score_of(std::uint32_t lost) const {
    return std::int64_t{total_} - (rarity_ == 0 ? 2 : 1) * std::int64_t{lost};
  }
  // Entries are 0 outside first()..last().
  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  // Returns the chance of exactly this loss.
  Value at(std::uint32_t lost) const {
    return lost < first_ || lost > last_ ? Value{0} : from_[margin_ + lost];
  }
  // Returns the chance of at most this loss. Up to last() it is all the remaining mass.
  Value up_to(std::uint32_t lost) const {
    Value sum{0};
    for (std::uint32_t m = first_; m <= std::min(lost, last_); ++m) sum += from_[margin_ + m];
    return sum;
  }
  Value mass() const { return up_to(last_); }

 private:
  static constexpr std::uint32_t kDeviations = 9;

  void add_sign(std::uint32_t weight, std::uint32_t sum, std::uint64_t squares) {
    // Entries off the grid's multiples are 0, and were never written.
    grid_ = std::gcd(grid_, weight);
    // The middle is sum / 2 and a standard deviation is sqrt(squares) / 2, or both are twice that.
    std::uint32_t reach = kDeviations * (root_below(squares) + 1);
    if constexpr (!std::is_integral_v<Value>) {
      // Nothing rests on these: rare symbols hardly go beyond their own deviations and a few
      // weights.
      reach = std::min(reach, kDeviations * (root_below(squares >> rarity_) + 1) + 6 * weight);
    }
    const std::uint32_t low = sum > reach ? most_lost_ * (sum - reach) / 2 : 0;
    const std::uint32_t high = (most_lost_ * (sum + reach) + 1) / 2;
    const std::uint32_t first = std::max(first_, low);
    const std::uint32_t last = std::min(last_ + most_lost_ * weight, high);
    // This sign may read entries of an older table below the window, from a lower window. Above it
    // nothing was ever written.
    const std::uint32_t reads = most_lost_ * weight;
    std::fill_n(from_.begin() + margin_ + first_ - reads, reads, Value{0});
    // A step known to the compiler lets it take several entries at once.
    if (grid_ == 1) {
      add_to<1>(weight, first, last, 1);
    } else {
      add_to<0>(weight, (first + grid_ - 1) / grid_ * grid_, last, grid_);
    }
    from_.swap(to_);
    first_ = first;
    last_ = last;
  }

  // Requires kStep == step, or 0.
  template <std::uint32_t kStep>
  void add_to(std::uint32_t weight, std::uint32_t first, std::uint32_t last, std::uint32_t step) {
    if constexpr (kStep != 0) step = kStep;
    const Value* stays = from_.data() + margin_;
    const Value* moves = stays - weight;
    Value* out = to_.data() + margin_;
    if (rarity_ == 0) {
      for (std::uint32_t m = first; m <= last; m += step) out[m] = half(stays[m] + moves[m]);
    } else {
      const Value* twice = moves - weight;
      for (std::uint32_t m = first; m <= last; m += step) {
        out[m] = mixed(stays[m], moves[m], twice[m]);
      }
    }
  }

  static Value half(Value value) {
    if constexpr (std::is_integral_v<Value>) {
      return value >> 1;
    } else {
      return value / 2;
    }
  }

  // Returns silent + (plus + minus - 2 silent) / 2^(rarity + 1). Integers are at most one(), so
  // that nothing overflows.
  Value mixed(Value plus, Value silent, Value minus) const {
    if constexpr (std::is_integral_v<Value>) {
      return (plus + minus + (silent << (rarity_ + 1)) - (silent << 1)) >> (rarity_ + 1);
    } else {
      return silent + (plus + minus - 2 * silent) / static_cast<Value>(2U << rarity_);
    }
  }

  std::uint32_t rarity_;
  std::uint32_t most_lost_;  // by a sign of weight 1
  std::uint32_t margin_ = 0;
  std::uint32_t total_ = 0;
  std::uint32_t grid_ = 0;  // the greatest common divisor of the weights so far
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::vector<Value> from_;  // element margin_ + m is for m lost
  std::vector<Value> to_;
};

}  // namespace futurerand
