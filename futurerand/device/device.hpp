// Device: one user's part in one metric, in memory: values in, signs out. It stores nothing, sends
// nothing, and does not allocate after joining. Client wraps it for real devices, and simulations
// use it directly. [OWW22] Alg. 1, for any horizon and for late joiners.
//
//   Result<Device> device = Device::join(plan, 1, draws);
//   device->observe(period, value, coins, [&](const SignRun& run) { ... });
//
// Only changes must be observed: skipped periods keep the last value. A simulated user therefore
// costs one call per change and one at the horizon, and not one per period.
//
// Coin j belongs to index j, used or not. Indices 64 w + 1 .. 64 w + 64 share a word of coins; the
// first word drawn is that of the first index. A symbol of a sparse law takes sixteen bits, so four
// indices share a word. Innovation takes 32 bits, so two share a word. A device of `pulse` needs no
// coins. Coins and noise are erased as they are used.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/core/randomizer/innovation_randomizer.hpp"
#include "futurerand/core/randomizer/pulse_randomizer.hpp"
#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/core/randomizer/sign_randomizer.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/device/partial_sums.hpp"

namespace futurerand {

// Signs of consecutive indices first_index, first_index + 1, ... Bit i belongs to first_index + i.
// In `minus` it marks a minus, in `silent` a zero symbol. Bits from count on are 0. 1 <= count <=
// 64, and a run never crosses a multiple of 64: all its indices lie in 64 w + 1 .. 64 w + 64 for
// one w.
struct SignRun {
  std::uint32_t first_index;
  std::uint32_t count;
  std::uint64_t minus;
  std::uint64_t silent;

  // Requires i < count.
  Sign at(std::uint32_t i) const {
    return (silent >> i) & 1U ? Sign::kZero : sign_of((minus >> i) & 1U);
  }
  void append_to(PackedSigns& signs) const { signs.append(count, minus, silent); }
};

// The complete memory of a device, for saving. It is secret, because it contains the value and the
// noise.
struct DeviceState {
  std::uint32_t view;
  Period joined;
  std::uint32_t snapshot_index;  // 0 for other views
  PartialSums sums;
  SignVector noise;
  std::uint32_t used_noise;  // 0 if it would reveal the number of changes (the next entry is then
                             // first); for pulses: symbols read in the window
  std::uint64_t coins;       // of the current word; used ones are 0
  std::optional<InnovationMemory> innovation =
      std::nullopt;  // of a view of innovation; used_noise is its sum

  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

// Overwrites the noise, the coins and the values.
void erase(DeviceState& state);

class Device {
 public:
  // Draws the view, a snapshot's index and the noise, before any data. Fails if the period is
  // outside the plan, or if the source fails.
  static Result<Device> join(const CertifiedPlan& plan, Period period, RandomSource& draws);
  // Rejects a state impossible for a device of this plan.
  static Result<Device> restore(const CertifiedPlan& plan, DeviceState state);

  // Takes the value of one period; periods only go forward. emit(run) gets the due signs, in order.
  // If the start is unknown, the first value counts as held since joining. Requires now() < period
  // <= horizon() and value <= full_scale(). Returns false if the coins failed: the device is then
  // unusable, and the signs emitted in this call must not be sent.
  template <typename Emit>
  [[nodiscard]] bool observe(Period period, std::uint32_t value, RandomSource& coins, Emit&& emit) {
    const std::uint32_t last = schedule_.last_due(period);
    const ValueStep step = sums_.step(period, value, starts_unknown_ && sums_.now() < joined_);
    while (next_index_ <= last) {
      SignRun run;
      if (!randomize(step, last, coins, run)) return false;
      emit(std::as_const(run));
    }
    return true;
  }

  // The segment is the application's: of a plan with segments one of its values, else empty.
  Enrolment enrolment(const ClientId& id, std::string segment = {}) const {
    return {id, view_, joined_, snapshot_index_, std::move(segment)};
  }
  std::uint32_t view() const { return view_; }
  Period joined() const { return joined_; }
  Period now() const { return sums_.now(); }  // the last period observed
  Period horizon() const { return horizon_; }
  std::uint32_t value() const { return sums_.value(); }
  // Returns the value of "yes", or of the top of a number's range.
  std::uint32_t full_scale() const { return full_scale_; }
  // Returns null for other views.
  const InnovationLevels* innovation_levels() const {
    const auto* innovation = std::get_if<InnovationRandomizer>(&randomizer_);
    return innovation == nullptr ? nullptr : &innovation->levels();
  }
  // The first index ever reported, the next one and the last one; nothing is due after the last.
  std::uint32_t first_index() const { return first_index_; }
  std::uint32_t next_index() const { return next_index_; }
  std::uint32_t last_index() const { return schedule_.num_indices; }
  // Returns the period of an index; the index is due at the end of this period.
  Period due(std::uint32_t index) const { return schedule_.due(index); }
  // The distance between reported indices, and the number of reports so far.
  std::uint32_t stride() const { return schedule_.stride; }
  std::uint32_t num_reported() const { return (next_index_ - first_index_) / schedule_.stride; }
  // Returns the index of report number `count` (from 0), and the number of reports before an index.
  std::uint32_t index_of(std::uint32_t count) const {
    return first_index_ + count * schedule_.stride;
  }
  std::uint32_t num_before(std::uint32_t index) const {
    return index <= first_index_ ? 0 : (index - first_index_) / schedule_.stride;
  }
  // True if a report may contain zero symbols.
  bool may_be_zero() const { return schedule_.may_be_zero; }

  // Returns the number of coin words requested so far.
  std::uint32_t words_drawn() const;

  DeviceState state() const;
  // Overwrites the noise and the coins, before a copy is discarded.
  void erase();

 private:
  Device(const CertifiedPlan& plan, DeviceState state);
  static bool is_possible(const CertifiedPlan& plan, const DeviceState& state);

  // Returns the place of next_index_ within its word of coins. It is called several times per
  // report, so it does not divide.
  std::uint32_t position() const { return (next_index_ - 1) & (coins_per_word_ - 1); }
  // Returns the unused coins of next_index_'s word; none before the word is drawn.
  std::uint64_t unused_coins() const;
  // Randomizes the indices from next_index_ to `last`, as far as one run reaches.
  bool randomize(const ValueStep& step, std::uint32_t last, RandomSource& coins, SignRun& run);
  bool randomize_word(SignRandomizer& randomizer, const ValueStep& step, std::uint32_t last,
                      RandomSource& coins, SignRun& run);
  bool randomize_innovation(InnovationRandomizer& randomizer, const ValueStep& step,
                            std::uint32_t last, RandomSource& coins, SignRun& run);

  void randomize_pulses(PulseRandomizer& randomizer, const ValueStep& step, std::uint32_t last,
                        SignRun& run);

  std::uint32_t view_;
  Schedule schedule_;
  Period horizon_;
  Period joined_;
  std::uint32_t snapshot_index_;
  std::uint32_t first_index_;
  std::uint32_t next_index_;
  bool starts_unknown_;
  std::uint32_t full_scale_;
  std::uint32_t nonzero_;         // of a sparse law; 0 for signs
  std::uint32_t coins_per_word_;  // a power of two: 64 signs, 4 symbols or 2 innovation; with a
                                  // stride each has its own
  PartialSums sums_;
  std::variant<SignRandomizer, InnovationRandomizer, PulseRandomizer> randomizer_;
  std::uint64_t coins_;
};

}  // namespace futurerand
