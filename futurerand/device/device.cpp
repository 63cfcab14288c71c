#include "futurerand/device/device.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "futurerand/core/randomizer/quiet_symbol.hpp"

namespace futurerand {
namespace {

constexpr std::uint32_t kWordBits = 64;

constexpr std::uint64_t low_bits(std::uint32_t count) {
  return count == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// The first interval or grid point that ends at or after the joining period.
std::uint32_t first_index_after(Period joined, Order order) { return ((joined - 1) >> order) + 1; }

void set_bit(std::uint64_t& word, std::uint32_t position, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << position;
  word = value ? word | bit : word & ~bit;
}

void set_sign(SignRun& run, std::uint32_t position, Sign sign) {
  set_bit(run.minus, position, sign == Sign::kMinus);
  set_bit(run.silent, position, sign == Sign::kSilent);
}

Sign sign_in(const SignRun& run, std::uint32_t position) {
  if ((run.silent >> position) & 1U) return Sign::kSilent;
  return sign_of((run.minus >> position) & 1U);
}

std::uint32_t speak_of(const Law& law) {
  const auto* quiet = std::get_if<QuietLaw>(&law);
  return quiet == nullptr ? 0 : quiet->speak;
}

}  // namespace

Result<Device> Device::join(const CertifiedPlan& plan, Period period, RandomSource& draws) {
  const Period horizon = plan.plan().num_periods;
  if (period < 1 || period > horizon) {
    return Error{"joining in period " + std::to_string(period) +
                     " is not possible; expected 1 to " + std::to_string(horizon),
                 ErrorCode::kRefused};
  }
  UniformBits bits(draws);
  const std::uint32_t view_index = plan.draw_view(bits);
  const View& view = plan.plan().views[view_index];
  const std::uint32_t snapshot_index =
      view.kind == ViewKind::kSnapshot ? bits.below(view.stride(horizon)) + 1 : 0;
  if (bits.failed())
    return Error{"the random source failed; the device did not join", ErrorCode::kNoEntropy};
  Result<SignVector> noise = plan.sampler(view_index).draw(draws);
  if (!noise) return noise.error();
  return Device(plan,
                {view_index, period, snapshot_index, PartialSums(period), *std::move(noise), 0, 0});
}

// Each check is one thing that join and observe keep true.
bool Device::is_possible(const CertifiedPlan& plan, const DeviceState& state) {
  const Plan& terms = plan.plan();
  if (state.view >= terms.views.size()) return false;
  const View& view = terms.views[state.view];
  if (state.joined < 1 || state.joined > terms.num_periods) return false;
  const bool snapshot = view.kind == ViewKind::kSnapshot;
  if ((state.snapshot_index != 0) != snapshot) return false;
  if (snapshot && state.snapshot_index > view.stride(terms.num_periods)) return false;
  const PartialSums& sums = state.sums;
  if (sums.now() + 1 < state.joined || sums.now() > terms.num_periods) return false;
  if (sums.now() + 1 == state.joined && sums.value()) return false;
  if (state.noise.size() != num_signs(view.law)) return false;
  if (state.noise.may_be_silent() != may_be_silent(view.law)) return false;
  if (state.used_noise > state.noise.size()) return false;

  const Device device(plan, state);
  const std::uint32_t reported = device.num_reported();
  const std::uint32_t most_used = std::min(reported, state.noise.size());
  if (view.kind == ViewKind::kChanges) {
    const bool at_end = reported > 0 && sums.now() == (device.next_index_ - 1) << view.order;
    if (reported == 0 ? sums.value_at_end() : at_end && sums.value_at_end() != sums.value()) {
      return false;
    }
    if (state.used_noise > most_used) return false;
  } else if (sums.value_at_end() || state.used_noise != most_used) {
    return false;
  }
  for (std::uint32_t j = 0; j < state.used_noise; ++j) {
    if (state.noise.at(j) != Sign::kPlus) return false;
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
      kind_(plan.plan().views[state.view].kind),
      order_(plan.plan().views[state.view].order),
      horizon_(plan.plan().num_periods),
      joined_(state.joined),
      snapshot_index_(state.snapshot_index),
      first_index_(first_index_after(joined_, order_)),
      last_index_(horizon_ >> order_),
      stride_(plan.plan().views[state.view].stride(horizon_)),
      speak_(speak_of(plan.plan().views[state.view].law)),
      coins_per_word_(speak_ > 0    ? kQuietUnitsPerWord
                      : stride_ > 1 ? 1
                                    : kWordBits),
      sums_(state.sums),
      randomizer_(std::move(state.noise), state.used_noise),
      coins_(state.coins) {
  if (kind_ == ViewKind::kSnapshot) {
    // Grid points that ended before joining are never reported.
    const std::uint32_t earliest = first_index_;
    first_index_ = snapshot_index_;
    while (first_index_ < earliest) first_index_ += stride_;
  }
  // All that was due by now was reported then.
  next_index_ = first_index_;
  if (const std::uint32_t due = last_due(sums_.now()); due >= first_index_) {
    next_index_ += ((due - first_index_) / stride_ + 1) * stride_;
  }
}

bool Device::randomize_word(const ValueStep& step, std::uint32_t last, RandomSource& coins,
                            SignRun& run) {
  if (unused_coins() == 0 && !coins.fill({&coins_, 1})) return false;
  run.first_index = next_index_;
  run.count = stride_ > 1 ? 1 : std::min(coins_per_word_ - position(), last - next_index_ + 1);
  run.minus = speak_ > 0 ? 0 : (coins_ >> position()) & low_bits(run.count);
  run.silent = 0;
  for (std::uint32_t i = 0; speak_ > 0 && i < run.count; ++i) {
    set_sign(run, i, quiet_symbol(coins_, position() + i, speak_));
  }

  const auto randomize = [&](std::uint32_t i, int input) {
    set_sign(run, i, randomizer_.randomize(input, sign_in(run, i)));
  };
  const auto end_of = [&](std::uint32_t i) { return (run.first_index + i) << order_; };
  if (kind_ == ViewKind::kChanges) {
    randomize(0, sums_.sum_to(step, end_of(0)));
    if (run.count > 1) randomize(run.count - 1, sums_.sum_to(step, end_of(run.count - 1)));
  } else {
    for (std::uint32_t i = 0; i < run.count; ++i) randomize(i, step.at(end_of(i)) ? +1 : -1);
  }

  next_index_ += run.count * stride_;
  coins_ &= unused_coins();
  return true;
}

std::uint64_t Device::unused_coins() const {
  const bool word_is_to_come = position() == 0 || next_index_ == first_index_;
  return word_is_to_come ? 0 : ~low_bits(position() * (kWordBits / coins_per_word_));
}

std::uint32_t Device::words_drawn() const {
  if (next_index_ == first_index_) return 0;
  if (stride_ > 1) return num_reported();
  return (next_index_ - 2) / coins_per_word_ - (first_index_ - 1) / coins_per_word_ + 1;
}

void Device::erase() {
  // An entry of the noise is erased by its use.
  while (randomizer_.used() < randomizer_.noise().size()) (void)randomizer_.randomize(1, false);
  coins_ = 0;
}

void erase(DeviceState& state) {
  state.noise.erase();
  state.sums = PartialSums(0, false, false);
  state.coins = 0;
}

DeviceState Device::state() const {
  return {view_, joined_, snapshot_index_, sums_, randomizer_.noise(), randomizer_.used(), coins_};
}

}  // namespace futurerand
