// InnovationRandomizer: reports the innovation of a value, in one symbol a period. The noise was
// drawn before any data. core/law/innovation.md has the rules and their proofs.
//
//   V = (G_0 + G_m) y_t - sum over i = 1..m of (G_{i-1} - G_i) y_{t-i}         y = 2x - X
//   target = |V| / 2X for yes/no. For numbers it is scaled to a mean of |V| / 2X over the phase.
//   hi, lo = the levels with unused signs and with the gaps next to the target. Without lo: a coin.
//   Send the sign of V times the next sign of hi, or of lo. The mean of the choice is the target.
//
// x is the value in 0..X: X = 1 for yes/no and 65536 for numbers. Before the device joins y is 0,
// or -X if everybody starts at 0. G are the filter gaps of the law.
//
// Values are given period by period. Every period has 32 uniform bits, used or not, so that the
// randomness of a period never depends on the data. One bit is the coin and 31 decide. In a sparse
// law 8 bits are the coin, a mostly zero symbol, and 24 decide. Noise is erased once used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/core/base/sign.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"
#include "futurerand/core/randomizer/sparse_symbol.hpp"

namespace futurerand {

// The shared part of a plan's law, for all of its devices.
struct InnovationLevels {
  static constexpr std::uint32_t kYesNo = 1;
  static constexpr std::uint32_t kNumber = 1U << 16;

  // Requires a valid law, and kYesNo or kNumber.
  explicit InnovationLevels(const WeightedThresholdLaw& law, std::uint32_t full_scale = kYesNo);

  std::uint32_t full_scale;  // X
  std::uint32_t num_signs;
  std::uint32_t nonzero;                   // of the law
  std::uint32_t coin_bits;                 // the lowest bits of a period's 32
  bool starts_unknown;                     // y is 0 before joining
  std::vector<std::uint64_t> filter_gaps;  // G_0..G_m
  std::vector<std::uint32_t> counts;       // by level: how many signs it has
  std::vector<std::uint32_t> first;  // by level: first position of its signs in the noise vector
  // Levels by rising gap, of equal ones the later first, and their gaps in this order. The first is
  // the steady level.
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> sorted_gaps;
  // The level for a yes/no device with a single recent step.
  struct Serving {
    std::uint32_t place;  // in this order: the first gap not below the target
    std::uint32_t level;
    bool is_exact;  // its gap is the target, so that no bit decides
  };
  // By lag, for one change, or joining with an unknown start, less than m periods ago.
  std::vector<Serving> after_change;
  std::vector<Serving> after_start;
  std::uint32_t steady_count;  // counts and first of the steady level
  std::uint32_t steady_first;
  std::uint32_t largest_recent_count = 0;  // of counts without the steady level

  std::uint32_t num_lags() const { return static_cast<std::uint32_t>(filter_gaps.size()) - 1; }
  std::uint32_t steady() const { return static_cast<std::uint32_t>(counts.size()) - 1; }
  bool may_be_zero() const { return coin_bits != 1; }
  // Returns the symbol of a period with these bits and without noise.
  Sign coin(std::uint32_t unit) const {
    return may_be_zero() ? sparse_symbol<32>(unit, 0, nonzero) : sign_of((unit & 1U) != 0);
  }
};

// Symbols of consecutive periods: bit i of `minus` is set if the i-th is a minus, of `silent` if it
// is zero.
struct SymbolBits {
  std::uint64_t minus = 0;
  std::uint64_t silent = 0;

  void add(const SymbolBits& later, std::uint32_t at) {
    minus |= later.minus << at;
    silent |= later.silent << at;
  }
};

// A device's memory beside the noise. It is secret, because it holds values.
struct InnovationMemory {
  std::vector<std::uint32_t> used;  // by level: how many signs are spent
  std::vector<std::uint32_t>
      held;                 // the values of the last m periods, or of all so far; newest first
  std::uint32_t phase = 0;  // of numbers; uniform in 0..X-1 on joining
  std::uint32_t age = 0;    // of numbers: periods since the phase last wrapped, at most m

  // Starts before the first period.
  InnovationMemory() = default;
  InnovationMemory(const InnovationLevels& levels, std::uint32_t drawn_phase)
      : used(levels.counts.size()), phase(drawn_phase), age(levels.num_lags()) {}

  void erase();
  friend bool operator==(const InnovationMemory&, const InnovationMemory&) = default;
};

class InnovationRandomizer {
 public:
  // Continues from a memory. The memory must be possible (is_possible), and the noise must be of
  // these levels.
  InnovationRandomizer(std::shared_ptr<const InnovationLevels> levels, SignVector noise,
                       const InnovationMemory& memory);
  // Tells whether some randomizer has this memory after this many periods.
  static bool is_possible(const InnovationLevels& levels, const SignVector& noise,
                          const InnovationMemory& memory, std::uint32_t periods);

  // How a period is reported: a noise sign or a coin. `missing` is how far the mean stays below the
  // target because signs ran short, in units of 2^-40. It is 0 up to the planned number of changes.
  struct Choice {
    static constexpr std::uint32_t kCoin = ~0U;
    std::uint32_t position = kCoin;  // of the noise
    bool negative = false;
    std::uint64_t missing = 0;
  };
  // Takes the value of the next period, in 0..X, and spends the sign of its report.
  Choice choose(std::uint32_t value, std::uint32_t unit);
  // Does so and returns the symbol.
  Sign randomize(std::uint32_t value, std::uint32_t unit) {
    const Choice choice = choose(value, unit);
    if (choice.position == Choice::kCoin) return levels_->coin(unit);
    const Sign sign = noise_.take(choice.position);
    return choice.negative ? reversed(sign) : sign;
  }

  // Does so for the next `count` periods, all of this value. unit(i) is called for the 32 bits of
  // the i-th if they matter: most symbols of a yes/no device are noise for any bits. Requires 1 <=
  // count <= 64.
  template <typename Unit>
  SymbolBits randomize_run(std::uint32_t value, std::uint32_t count, Unit&& unit) {
    SymbolBits symbols;
    for (std::uint32_t i = 0; i < count;) {
      if (const std::uint32_t sure = certain(value, count - i); sure > 0) {
        symbols.add(take_certain(sure), i);
        i += sure;
      } else if (const std::uint32_t exact = take_exact(value, count - i, i, symbols); exact > 0) {
        i += exact;
      } else {
        const Sign sign = randomize(value, unit(i));
        symbols.add({std::uint64_t{sign == Sign::kMinus}, std::uint64_t{sign == Sign::kZero}}, i++);
      }
    }
    return symbols;
  }

  const InnovationLevels& levels() const { return *levels_; }
  const SignVector& noise() const { return noise_; }
  InnovationMemory memory() const;
  std::uint32_t num_used() const { return num_used_; }
  // Overwrites noise and values.
  void erase();

 private:
  __extension__ using Wide = unsigned __int128;

  // A change of the value, less than m periods ago.
  struct Step {
    std::uint32_t when;   // in numbers of periods, as now_
    std::int32_t before;  // y before it
    bool is_start;        // joining with an unknown start is no variation
  };

  // Returns the number of further periods, at most `count`, with this value and with noise for any
  // bits; and their symbols.
  std::uint32_t certain(std::uint32_t value, std::uint32_t count) const;
  SymbolBits take_certain(std::uint32_t count);
  // Takes at most `count` further periods with this value after a single recent step. Stops at the
  // first period without a level of exactly its target. Adds their symbols at `at` and returns
  // their number.
  std::uint32_t take_exact(std::uint32_t value, std::uint32_t count, std::uint32_t at,
                           SymbolBits& symbols);
  void advance(std::uint32_t value);
  void drop_old_steps();
  // Returns V, and the target for it in units of 2^-64.
  std::int64_t innovation() const;
  Wide target_of(std::uint64_t size) const;
  // Returns the place of the first gap not below a target, in the levels' order.
  std::size_t first_reaching(Wide target) const;
  // Returns A: the lag of joining, at most m, or m if everybody starts at 0.
  std::uint32_t start_lag() const;
  // Returns for how many periods there was a value, and since when the phase has not wrapped. Both
  // stop counting at m or later.
  std::uint32_t lived() const { return now_ - joined_; }
  std::uint32_t age() const { return std::min(now_ - wrapped_, levels_->num_lags()); }
  std::uint64_t gap(std::uint32_t lag) const { return levels_->filter_gaps[lag]; }
  bool is_left(std::uint32_t level) const { return used_[level] < levels_->counts[level]; }
  std::int32_t scaled(std::uint32_t value) const {
    return 2 * static_cast<std::int32_t>(value) - static_cast<std::int32_t>(levels_->full_scale);
  }

  std::shared_ptr<const InnovationLevels> levels_;
  SignVector noise_;
  std::vector<std::uint32_t> used_;  // by level
  std::uint32_t num_used_ = 0;
  std::int32_t y_;  // of the last period, or before joining
  // Steps less than m periods old, oldest first. The first oldest_ entries are too old.
  std::vector<Step> steps_;
  std::uint32_t oldest_ = 0;
  // Numbers of periods: the last one, the last one before the first value, and the one of the last
  // wrap of the phase.
  std::uint32_t now_;
  std::uint32_t joined_;
  std::uint32_t wrapped_;
  std::uint32_t phase_;
};

}  // namespace futurerand
