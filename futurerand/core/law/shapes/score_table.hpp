// ScoreTable: how the score of a weighted law is distributed over fair signs, by adding one sign at
// a time. The score is the sum of the weights of the plus signs less that of the minus signs; the
// table is over the latter, from which the former follows.
//
// With integers every step rounds down and what lies 9 standard deviations from the middle is cut
// off, so that each entry, and each sum of entries, is a lower bound. Up to 63 signs it is exact:
// nothing is rounded (each step halves a multiple of two) and nothing is that far out (the largest
// deviation of n signs is at most sqrt(n) standard deviations).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace futurerand {

struct WeightedSigns {
  std::uint32_t count;
  std::uint32_t weight;
};

// Returns the largest integer whose square is at most `square`.
constexpr std::uint32_t root_below(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= square) root |= bit;
  }
  return static_cast<std::uint32_t>(root);
}

// Value is std::uint64_t, a probability times 2^63, or double.
template <typename Value>
class ScoreTable {
 public:
  static constexpr Value kOne =
      std::is_integral_v<Value> ? static_cast<Value>(std::uint64_t{1} << 63) : Value{1};

  // Requires weights of at least 1 and below 2^16, and a sum of squares below 2^32. The work is the
  // number of signs times 9 roots of that sum; light signs come first, while the table is short.
  explicit ScoreTable(std::vector<WeightedSigns> signs) {
    std::sort(signs.begin(), signs.end(),
              [](const WeightedSigns& a, const WeightedSigns& b) { return a.weight < b.weight; });
    std::uint32_t total = 0;
    for (const WeightedSigns& level : signs) {
      margin_ = std::max(margin_, level.weight);
      total += level.count * level.weight;
    }
    total_ = total;
    // Around the window there is room for one more sign on either side, always 0.
    from_.assign(std::size_t{total} + 1 + 2 * std::size_t{margin_}, Value{0});
    to_ = from_;
    from_[margin_] = kOne;
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

  // Returns the sum of all weights: the score is total() - 2 * minus.
  std::uint32_t total() const { return total_; }
  // Entries are 0 outside first()..last().
  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  // Returns the chance that the minus signs weigh exactly this much.
  Value at(std::uint32_t minus) const {
    return minus < first_ || minus > last_ ? Value{0} : from_[margin_ + minus];
  }
  // Returns the chance that they weigh at most this much. Up to total() it is all the mass that
  // is left.
  Value up_to(std::uint32_t minus) const {
    Value sum{0};
    for (std::uint32_t m = first_; m <= std::min(minus, last_); ++m) sum += from_[margin_ + m];
    return sum;
  }
  Value mass() const { return up_to(last_); }

 private:
  static constexpr std::uint32_t kDeviations = 9;

  void add_sign(std::uint32_t weight, std::uint32_t sum, std::uint64_t squares) {
    // The middle is sum / 2 and a standard deviation is sqrt(squares) / 2.
    const std::uint32_t reach = kDeviations * (root_below(squares) + 1);
    const std::uint32_t low = sum > reach ? (sum - reach) / 2 : 0;
    const std::uint32_t high = (sum + reach + 1) / 2;
    const std::uint32_t first = std::max(first_, low);
    const std::uint32_t last = std::min(last_ + weight, high);
    const Value* stays = from_.data() + margin_;
    const Value* moves = stays - weight;
    Value* out = to_.data() + margin_;
    for (std::uint32_t m = first; m <= last; ++m) out[m] = half(stays[m] + moves[m]);
    // These are the margins of the new window; older entries lie further out or were overwritten.
    std::fill(to_.begin() + first, to_.begin() + first + margin_, Value{0});
    const auto end = to_.begin() + last + 1 + margin_;
    std::fill(end, end + margin_, Value{0});
    from_.swap(to_);
    first_ = first;
    last_ = last;
  }

  static Value half(Value value) {
    if constexpr (std::is_integral_v<Value>) {
      return value >> 1;
    } else {
      return value / 2;
    }
  }

  std::uint32_t margin_ = 0;
  std::uint32_t total_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::vector<Value> from_;  // element margin_ + m is for minus signs that weigh m
  std::vector<Value> to_;
};

}  // namespace futurerand
