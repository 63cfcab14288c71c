#include "futurerand/device/device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "futurerand/core/randomizer/sparse_symbol.hpp"
#include "futurerand/device/join_draw.hpp"

namespace futurerand {
namespace {

constexpr std::uint32_t kWordBits = 64;
constexpr std::uint32_t kInnovationPerWord = 2;

// Requires 1 <= count <= kWordBits.
constexpr std::uint64_t low_bits(std::uint32_t count) {
  return ~std::uint64_t{0} >> (kWordBits - count);
}

void set_bit(std::uint64_t& word, std::uint32_t position, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << position;
  word = value ? word | bit : word & ~bit;
}

void set_sign(SignRun& run, std::uint32_t position, Sign sign) {
  set_bit(run.minus, position, sign == Sign::kMinus);
  set_bit(run.silent, position, sign == Sign::kZero);
}

// Each check is an invariant of join and observe, for a view of innovation.
bool is_possible_innovation(const CertifiedPlan& plan, const DeviceState& state) {
  if (!state.innovation || state.sums.value_at_end()) return false;
  const std::uint32_t periods = state.sums.now() + 1 - state.joined;
  if (!InnovationRandomizer::is_possible(*plan.innovation_levels(), state.noise, *state.innovation,
                                         periods)) {
    return false;
  }
  std::uint32_t used = 0;
  for (const std::uint32_t of_level : state.innovation->used) used += of_level;
  const std::vector<std::uint32_t>& held = state.innovation->held;
  return used == state.used_noise && (held.empty() ? 0 : held.front()) == state.sums.value();
}

bool is_possible_pulse(const PulseLaw& law, const DeviceState& state) {
  if (state.sums.value() > 1 || state.sums.value_at_end() || state.coins != 0) return false;
  const std::uint32_t periods = state.sums.now() + 1 - state.joined;
  return PulseRandomizer::is_possible(state.noise, law.window, law.pulses, state.used_noise,
                                      periods, state.sums.value() != 0);
}

std::variant<SignRandomizer, InnovationRandomizer, PulseRandomizer> randomizer_of(
    const CertifiedPlan& plan, DeviceState& state) {
  if (const auto* law = std::get_if<PulseLaw>(&plan.plan().views[state.view].law)) {
    const std::uint32_t periods = state.sums.now() + 1 - state.joined;
    return PulseRandomizer(std::move(state.noise), law->window, state.used_noise,
                           periods - state.used_noise);
  }
  if (!state.innovation) return SignRandomizer(std::move(state.noise), state.used_noise);
  return InnovationRandomizer(plan.innovation_levels(), std::move(state.noise), *state.innovation);
}

}  // namespace

Result<Device> Device::join(const CertifiedPlan& plan, Period period, RandomSource& draws) {
  const Period horizon = plan.plan().num_periods;
  if (period < 1 || period > horizon) {
    return Error{"joining in period " + std::to_string(period) +
                     " is not possible; expected 1 to " + std::to_string(horizon),
                 period < 1 ? ErrorCode::kNotStarted : ErrorCode::kRefused};
  }
  Result<JoinDraw> drawn = JoinDraw::draw(plan, draws);
  if (!drawn) return drawn.error();
  DeviceState state{
      drawn->view, period, drawn->snapshot_index, PartialSums(period), std::move(drawn->noise),
      0,           0,      std::nullopt};
  if (const auto& levels = plan.innovation_levels()) {
    state.innovation = InnovationMemory(*levels, drawn->phase);
  }
  return Device(plan, std::move(state));
}

// Each check is an invariant of join and observe.
bool Device::is_possible(const CertifiedPlan& plan, const DeviceState& state) {
  const Plan& terms = plan.plan();
  if (state.view >= terms.views.size()) return false;
  const View& view = terms.views[state.view];
  if (state.joined < 1 || state.joined > terms.num_periods) return false;
  const Schedule schedule(view, terms.num_periods);
  if (!schedule.is_start(state.snapshot_index)) return false;
  const PartialSums& sums = state.sums;
  if (sums.now() + 1 < state.joined || sums.now() > terms.num_periods) return false;
  if (sums.now() + 1 == state.joined && sums.value()) return false;
  if (state.noise.size() != num_signs(view.law)) return false;
  if (state.noise.may_be_zero() != schedule.may_be_zero) return false;
  if (state.used_noise > state.noise.size()) return false;

  if (const auto* law = std::get_if<PulseLaw>(&view.law)) {
    return !state.innovation && is_possible_pulse(*law, state);
  }
  const bool innovation = view.kind == ViewKind::kInnovation;
  if (innovation ? !is_possible_innovation(plan, state) : state.innovation.has_value())
    return false;

  const Device device(plan, state);
  if (innovation) return (state.coins & ~device.unused_coins()) == 0;
  const std::uint32_t reported = device.num_reported();
  const std::uint32_t most_used = std::min(reported, state.noise.size());
  if (view.kind == ViewKind::kChanges) {
    const bool at_end = sums.now() == schedule.due(device.next_index_ - 1);
    if (reported == 0 ? sums.value_at_end() : at_end && sums.value_at_end() != sums.value()) {
      return false;
    }
    if (state.used_noise != 0) return false;
  } else if (sums.value_at_end() || state.used_noise != most_used) {
    return false;
  }
  return (state.coins & ~device.unused_coins()) == 0;
}

Result<Device> Device::restore(const CertifiedPlan& plan, DeviceState state) {
  if (!is_possible(plan, state)) {
    return Error{"the saved state is not one that a device of this plan can have",
                 ErrorCode::kDamaged};
  }
  return Device(plan, std::move(state));
}

Device::Device(const CertifiedPlan& plan, DeviceState state)
    : view_(state.view),
      schedule_(plan.plan().views[state.view], plan.plan().num_periods),
      horizon_(plan.plan().num_periods),
      joined_(state.joined),
      snapshot_index_(state.snapshot_index),
      first_index_(schedule_.first_index(joined_, snapshot_index_)),
      starts_unknown_(plan.plan().initial == Initial::kUnknown),
      full_scale_(plan.innovation_levels() ? plan.innovation_levels()->full_scale : 1),
      nonzero_(nonzero_units(plan.plan().views[state.view].law)),
      coins_per_word_(schedule_.kind == ViewKind::kInnovation ? kInnovationPerWord
                      : schedule_.may_be_zero                 ? kSparseUnitsPerWord
                      : schedule_.stride > 1                  ? 1
                                                              : kWordBits),
      sums_(state.sums),
      randomizer_(randomizer_of(plan, state)),
      coins_(state.coins) {
  // Everything due by now has been reported.
  next_index_ = first_index_ + schedule_.num_owed(first_index_, sums_.now()) * schedule_.stride;
}

bool Device::randomize(const ValueStep& step, std::uint32_t last, RandomSource& coins,
                       SignRun& run) {
  if (auto* innovation = std::get_if<InnovationRandomizer>(&randomizer_)) {
    return randomize_innovation(*innovation, step, last, coins, run);
  }
  if (auto* pulses = std::get_if<PulseRandomizer>(&randomizer_)) {
    randomize_pulses(*pulses, step, last, run);
    return true;
  }
  return randomize_word(std::get<SignRandomizer>(randomizer_), step, last, coins, run);
}

bool Device::randomize_word(SignRandomizer& randomizer, const ValueStep& step, std::uint32_t last,
                            RandomSource& coins, SignRun& run) {
  if (unused_coins() == 0 && !coins.fill({&coins_, 1})) return false;
  run.first_index = next_index_;
  run.count = std::min(coins_per_word_ - position(), last - next_index_ + 1);
  run.minus = (coins_ >> position()) & low_bits(run.count);
  run.silent = 0;
  for (std::uint32_t i = 0; schedule_.may_be_zero && i < run.count; ++i) {
    set_sign(run, i, sparse_symbol(coins_, position() + i, nonzero_));
  }

  const auto randomize_at = [&](std::uint32_t i, int input) {
    set_sign(run, i, randomizer.randomize(input, run.at(i)));
  };
  const auto end_of = [&](std::uint32_t i) { return schedule_.due(run.first_index + i); };
  if (schedule_.kind == ViewKind::kChanges) {
    // The value changes at most once in a step, so all sums between the first and the last are 0.
    // In a run of one, first and last are the same index. Its second sum is also 0 and leaves the
    // sign unchanged.
    randomize_at(0, sums_.sum_to(step, end_of(0)));
    randomize_at(run.count - 1, sums_.sum_to(step, end_of(run.count - 1)));
  } else {
    for (std::uint32_t i = 0; i < run.count; ++i)
      randomize_at(i, step.at(end_of(i)) != 0 ? +1 : -1);
  }

  next_index_ += run.count * schedule_.stride;
  coins_ &= unused_coins();
  return true;
}

bool Device::randomize_innovation(InnovationRandomizer& randomizer, const ValueStep& step,
                                  std::uint32_t last, RandomSource& coins, SignRun& run) {
  const std::uint32_t first = next_index_;
  run = {first, std::min(kWordBits - (first - 1) % kWordBits, last - first + 1), 0, 0};
  // All words of the run are requested at once, because sources are faster in blocks.
  std::array<std::uint64_t, kWordBits / kInnovationPerWord> words;
  const std::uint32_t first_word = (first - 1) / kInnovationPerWord;
  const std::uint32_t num_words = (first + run.count - 2) / kInnovationPerWord - first_word + 1;
  const std::uint32_t known = unused_coins() != 0 ? 1 : 0;
  words[0] = coins_;
  if (known < num_words && !coins.fill({words.data() + known, num_words - known})) return false;
  const auto unit_of = [&](Period t) {
    const std::uint64_t word = words[(t - 1) / kInnovationPerWord - first_word];
    return static_cast<std::uint32_t>(word >> ((t - 1) % kInnovationPerWord * 32));
  };

  SymbolBits symbols;
  for (std::uint32_t i = 0; i < run.count;) {
    const Period t = first + i;
    const std::uint32_t value = step.at(t);
    const std::uint32_t left = run.count - i;
    const std::uint32_t same = t < step.period ? std::min(left, step.period - t) : left;
    symbols.add(randomizer.randomize_run(value, same,
                                         [&](std::uint32_t later) { return unit_of(t + later); }),
                i);
    i += same;
  }
  run.minus = symbols.minus;
  run.silent = symbols.silent;
  next_index_ += run.count;
  coins_ = words[num_words - 1] & unused_coins();
  std::fill_n(words.begin(), num_words, 0);
  return true;
}

void Device::randomize_pulses(PulseRandomizer& randomizer, const ValueStep& step,
                              std::uint32_t last, SignRun& run) {
  const std::uint32_t first = next_index_;
  run = {first, std::min(kWordBits - (first - 1) % kWordBits, last - first + 1), 0, 0};
  for (std::uint32_t i = 0; i < run.count;) {
    const Period t = first + i;
    const std::uint32_t left = run.count - i;
    const std::uint32_t same = t < step.period ? std::min(left, step.period - t) : left;
    run.minus |= randomizer.randomize_run(step.at(t) != 0, same) << i;
    i += same;
  }
  next_index_ += run.count;
}

std::uint64_t Device::unused_coins() const {
  const std::uint32_t used = position();
  if (used == 0 || next_index_ == first_index_) return 0;
  // A coin has kWordBits / coins_per_word_ bits.
  return ~low_bits(used * kWordBits >> std::countr_zero(coins_per_word_));
}

std::uint32_t Device::words_drawn() const {
  if (next_index_ == first_index_ || schedule_.kind == ViewKind::kPulse) return 0;
  if (schedule_.stride > 1) return num_reported();
  return (next_index_ - 2) / coins_per_word_ - (first_index_ - 1) / coins_per_word_ + 1;
}

void Device::erase() {
  std::visit([](auto& randomizer) { randomizer.erase(); }, randomizer_);
  coins_ = 0;
}

void erase(DeviceState& state) {
  state.noise.erase();
  if (state.innovation) state.innovation->erase();
  state.sums = PartialSums(0, 0, false);
  state.coins = 0;
}

DeviceState Device::state() const {
  if (const auto* innovation = std::get_if<InnovationRandomizer>(&randomizer_)) {
    return {view_,
            joined_,
            snapshot_index_,
            sums_,
            innovation->noise(),
            innovation->num_used(),
            coins_,
            innovation->memory()};
  }
  if (const auto* pulses = std::get_if<PulseRandomizer>(&randomizer_)) {
    return {view_,  joined_,     snapshot_index_, sums_, pulses->noise(), pulses->window_read(),
            coins_, std::nullopt};
  }
  const auto& signs = std::get<SignRandomizer>(randomizer_);
  if (schedule_.kind == ViewKind::kChanges) {
    return {view_, joined_, snapshot_index_, sums_, signs.noise().rotated(signs.next()),
            0,     coins_,  std::nullopt};
  }
  return {view_,         joined_,      snapshot_index_, sums_,
          signs.noise(), signs.used(), coins_,          std::nullopt};
}

}  // namespace futurerand
