// InnovationRandomizer: what is new about a value leaves as one sign a period, under noise that was
// drawn before any data. core/law/innovation.md.
//
//   U = x_t (G_0 + G_m) - sum over j of (G_{j-1} - G_j) x_{t-j} - G_m
//   l = the lowest level still in stock with G_l >= |U|; if there is none, the highest in stock
//   with probability |U| / G_l the sign of U times the next sign of level l, else a fair coin
//
// The values must be given period by period. 32 uniform bits are handed in for every period, used
// or not, so that which randomness serves which period never depends on the data: one is the coin,
// 31 decide whether the noise is used. Where the law is quiet, the coin is a symbol that is mostly
// silent; it takes 8 bits, and 24 decide. Noise is erased once used.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/core/base/sign.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"
#include "futurerand/core/randomizer/sparse_symbol.hpp"

namespace futurerand {

// This is what devices of one plan share of its law.
struct InnovationLevels {
  // Requires a valid law.
  explicit InnovationLevels(const WeightedThresholdLaw& law);

  std::uint32_t num_signs = 0;
  std::uint32_t nonzero = 0;        // of the law
  std::uint32_t coin_bits = 0;      // how many of a period's bits are its coin; they are the lowest
  std::vector<std::uint64_t> gaps;  // by level; they do not increase
  std::vector<std::uint32_t> stocks;  // by level
  std::vector<std::uint32_t> first;   // by level: where its signs start in the noise vector

  std::uint32_t settled() const { return static_cast<std::uint32_t>(gaps.size()) - 1; }
  bool may_be_zero() const { return coin_bits != 1; }
  // Returns what a period with these bits sends where it tells nothing.
  Sign coin(std::uint32_t unit) const {
    return may_be_zero() ? sparse_symbol<32>(unit, 0, nonzero) : sign_of((unit & 1U) != 0);
  }
};

// Symbols of consecutive periods: bit i of `minus` is set where that of the i-th is a minus, of
// `silent` where it is silent.
struct SymbolBits {
  std::uint64_t minus = 0;
  std::uint64_t silent = 0;

  void add(const SymbolBits& later, std::uint32_t at) {
    minus |= later.minus << at;
    silent |= later.silent << at;
  }
};

// This is what is remembered beside the noise, for saving. It is secret, because it holds values.
struct InnovationMemory {
  std::vector<std::uint32_t> used;  // how many signs of each level are spent
  SignVector held;                  // element j: a minus where the value j periods ago was 1
  friend bool operator==(const InnovationMemory&, const InnovationMemory&) = default;
};

class InnovationRandomizer {
 public:
  // Starts before the first period; all earlier values count as 0. Requires noise of these levels.
  InnovationRandomizer(std::shared_ptr<const InnovationLevels> levels, SignVector noise);
  // Goes on from what was saved. Requires a memory that fits.
  InnovationRandomizer(std::shared_ptr<const InnovationLevels> levels, SignVector noise,
                       const InnovationMemory& memory);
  // Tells whether this could be the memory of some randomizer that has lived so many periods.
  static bool is_possible(const InnovationLevels& levels, const SignVector& noise,
                          const InnovationMemory& memory, std::uint32_t periods);

  // Churn the next period.
  Sign randomize(bool value, std::uint32_t unit);

  // Churn the next `count` periods, all of this value, and returns their symbols. unit(i) is asked
  // for the units of the i-th of them where they matter: a settled device sends noise whatever they
  // are. Requires 1 <= count <= 64.
  template <typename Unit>
  SymbolBits randomize_run(bool value, std::uint32_t count, Unit&& unit) {
    SymbolBits symbols;
    for (std::uint32_t i = 0; i < count;) {
      if (const std::uint32_t sure = certain(value, count - i); sure > 0) {
        symbols.add(take_certain(value, sure), i);
        i += sure;
      } else {
        const Sign sign = randomize(value, unit(i));
        symbols.add({std::uint64_t{sign == Sign::kMinus}, std::uint64_t{sign == Sign::kZero}}, i++);
      }
    }
    return symbols;
  }

  const SignVector& noise() const { return noise_; }
  InnovationMemory memory() const;
  std::uint32_t num_used() const { return num_used_; }
  // Overwrites noise and values.
  void erase();

 private:
  static constexpr std::uint32_t kNone = ~0U;

  // Returns how many further periods with this value, at most `count`, leave as noise whatever
  // their units are; and those.
  std::uint32_t certain(bool value, std::uint32_t count) const;
  SymbolBits take_certain(bool value, std::uint32_t count);
  // Returns kappa u of the period, in units of 2^-40.
  std::int64_t innovation() const;
  // Returns the level that serves innovation of this size, or kNone if nothing is in stock.
  std::uint32_t level_for(std::uint64_t size) const;
  bool in_stock(std::uint32_t level) const { return used_[level] < levels_->stocks[level]; }
  Sign take(std::uint32_t level);
  void find_lowest();
  void advance(bool value);

  std::shared_ptr<const InnovationLevels> levels_;
  SignVector noise_;
  std::vector<std::uint32_t> used_;  // by level
  std::uint32_t num_used_ = 0;
  std::uint32_t lowest_;  // the lowest level in stock
  bool value_ = false;
  // These changes are less than m periods old, as numbers of periods; older ones are settled. The
  // first oldest_ entries are spent.
  std::vector<std::uint32_t> changes_;
  std::uint32_t oldest_ = 0;
  std::uint32_t now_ = 0;
};

}  // namespace futurerand
