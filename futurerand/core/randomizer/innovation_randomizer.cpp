#include "futurerand/core/randomizer/innovation_randomizer.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace futurerand {
namespace {

constexpr std::uint32_t kUnitBits = 32;
// Gaps are in units of 2^-40, targets in units of 2^-64.
constexpr std::uint32_t kTargetShift = 24;
constexpr std::uint32_t kUnitOfGap = 1U << kTargetShift;

}  // namespace

InnovationLevels::InnovationLevels(const WeightedThresholdLaw& law, std::uint32_t scale)
    : full_scale(scale),
      num_signs(law.num_signs),
      nonzero(law.nonzero),
      coin_bits(law.may_be_zero() ? 8 : 1),
      starts_unknown(law.start_levels > 0),
      filter_gaps(law.filter_gaps()) {
  std::uint32_t position = 0;
  for (const auto& level : law.levels) {
    counts.push_back(level.count);
    first.push_back(position);
    position += level.count;
  }
  order.resize(law.levels.size());
  std::iota(order.rbegin(), order.rend(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return law.levels[a].gap < law.levels[b].gap;
  });
  for (const std::uint32_t level : order) sorted_gaps.push_back(law.levels[level].gap);
  const auto reaching = [this](std::uint64_t gap) {
    const auto found = std::lower_bound(sorted_gaps.begin(), sorted_gaps.end(), gap);
    return static_cast<std::uint32_t>(found - sorted_gaps.begin());
  };
  // Requires twice the target. A target above all gaps has no level.
  const auto serving = [&](std::uint64_t twice) {
    const std::uint32_t place = reaching((twice + 1) / 2);
    if (place == order.size()) return Serving{place, 0, false};
    return Serving{place, order[place], 2 * sorted_gaps[place] == twice};
  };
  for (std::uint32_t lag = 0; lag < num_lags(); ++lag) {
    after_change.push_back(serving(2 * filter_gaps[lag]));
    after_start.push_back(serving(filter_gaps[lag] + filter_gaps.back()));
  }
  steady_count = counts.back();
  steady_first = first.back();
  for (std::uint32_t level = 0; level < steady(); ++level) {
    largest_recent_count = std::max(largest_recent_count, counts[level]);
  }
}

void InnovationMemory::erase() {
  std::fill(held.begin(), held.end(), 0U);
  phase = 0;
  age = 0;
}

InnovationRandomizer::InnovationRandomizer(std::shared_ptr<const InnovationLevels> levels,
                                           SignVector noise, const InnovationMemory& memory)
    : levels_(std::move(levels)),
      noise_(std::move(noise)),
      used_(memory.used),
      num_used_(std::accumulate(used_.begin(), used_.end(), 0U)),
      y_(levels_->starts_unknown ? 0 : scaled(0)),
      now_(levels_->num_lags()),
      joined_(now_ - static_cast<std::uint32_t>(memory.held.size())),
      wrapped_(now_ - memory.age),
      phase_(memory.phase) {
  const std::uint32_t m = levels_->num_lags(), num_held = lived();
  // At most one step a period is remembered, and as many may be too old before they are moved.
  steps_.reserve(2 * std::size_t{m} + 2);
  for (std::uint32_t ago = num_held; ago-- > 0;) {
    const std::int32_t y = scaled(memory.held[ago]);
    const bool is_oldest = ago + 1 == num_held;
    if (is_oldest && num_held == m) {
      // Its step is m - 1 periods old or older: in the next period it is too old to matter.
    } else if (is_oldest && levels_->starts_unknown) {
      steps_.push_back({now_ - ago, 0, true});
    } else if (y != y_) {
      steps_.push_back({now_ - ago, y_, false});
    }
    y_ = y;
  }
}

bool InnovationRandomizer::is_possible(const InnovationLevels& levels, const SignVector& noise,
                                       const InnovationMemory& memory, std::uint32_t periods) {
  const std::uint32_t m = levels.num_lags();
  if (noise.size() != levels.num_signs) return false;
  if (noise.may_be_zero() != levels.may_be_zero()) return false;
  if (memory.used.size() != levels.counts.size()) return false;
  if (memory.held.size() != std::min(periods, m)) return false;
  for (const std::uint32_t value : memory.held) {
    if (value > levels.full_scale) return false;
  }
  if (memory.phase >= levels.full_scale || memory.age > m) return false;
  // The phase of yes/no never moves, and none wraps before the device joins.
  if (memory.age != m && (levels.full_scale == 1 || memory.age >= periods)) return false;
  std::uint64_t used = 0;
  for (std::size_t l = 0; l < memory.used.size(); ++l) {
    if (memory.used[l] > levels.counts[l]) return false;
    used += memory.used[l];
    for (std::uint32_t i = 0; i < memory.used[l]; ++i) {
      if (noise.at(levels.first[l] + i) != Sign::kPlus) return false;
    }
  }
  return used <= periods;
}

std::uint32_t InnovationRandomizer::start_lag() const {
  const std::uint32_t m = levels_->num_lags();
  return levels_->starts_unknown ? std::min(lived() - 1, m) : m;
}

// The sum of the header, put together by steps: a step of this age adds G_age times the change of
// y, and the steady level adds G_m for the value now and for the value before all steps.
std::int64_t InnovationRandomizer::innovation() const {
  std::int32_t after = y_;
  std::int64_t sum = 0;
  for (std::size_t i = steps_.size(); i-- > oldest_;) {
    const Step& step = steps_[i];
    sum += static_cast<std::int64_t>(gap(now_ - step.when)) * (after - step.before);
    after = step.before;
  }
  return sum + static_cast<std::int64_t>(gap(levels_->num_lags())) * (y_ + after);
}

InnovationRandomizer::Wide InnovationRandomizer::target_of(std::uint64_t size) const {
  constexpr std::uint32_t kHalf = kTargetShift - 1;  // V is twice the innovation
  const std::uint64_t scale = levels_->full_scale;
  if (scale == 1) return Wide{size} << kHalf;
  const std::uint32_t lag = start_lag();
  const std::uint64_t base = gap(levels_->num_lags()) + gap(lag);
  // 2 X times the mean of the gap over all phases, by the variation of the last steps.
  Wide mean = Wide{scale} * base;
  std::uint64_t variation = 0;
  std::int32_t after = y_;
  for (std::size_t i = steps_.size(); i-- > oldest_;) {
    const Step& step = steps_[i];
    const std::uint32_t age = now_ - step.when;
    if (step.is_start || age >= lag) break;
    variation += static_cast<std::uint64_t>(std::abs(after - step.before)) / 2;
    after = step.before;
    const std::uint32_t next = i > oldest_ ? std::min(lag, now_ - steps_[i - 1].when) : lag;
    mean += Wide{2} * (gap(age) - gap(next)) * std::min(scale, variation);
  }
  // Twice the gap at the drawn phase.
  const std::uint32_t since = age();
  const std::uint64_t drawn = base + (since < lag ? 2 * (gap(since) - gap(lag)) : 0);
  return ((Wide{size} * drawn) << kHalf) / mean;
}

void InnovationRandomizer::drop_old_steps() {
  const std::uint32_t m = levels_->num_lags();
  while (oldest_ < steps_.size() && now_ - steps_[oldest_].when >= m) ++oldest_;
  if (oldest_ == steps_.size() || oldest_ > m) {
    steps_.erase(steps_.begin(), steps_.begin() + oldest_);
    oldest_ = 0;
  }
}

void InnovationRandomizer::advance(std::uint32_t value) {
  const std::uint32_t scale = levels_->full_scale;
  const std::int32_t y = scaled(value);
  const bool is_start = lived() == 0 && levels_->starts_unknown;
  ++now_;
  drop_old_steps();
  if (scale > 1) {
    if (!is_start) phase_ += static_cast<std::uint32_t>(std::abs(y - y_)) / 2;
    if (phase_ >= scale) {
      phase_ -= scale;
      wrapped_ = now_;
    }
  }
  if (y != y_ || is_start) steps_.push_back({now_, y_, is_start});
  y_ = y;
}

std::size_t InnovationRandomizer::first_reaching(Wide target) const {
  if (levels_->full_scale == 1) {
    if (oldest_ == steps_.size()) return 0;  // the steady level
    if (oldest_ + 1 == steps_.size()) {      // the usual case needs no search
      const Step& step = steps_.back();
      return (step.is_start ? levels_->after_start : levels_->after_change)[now_ - step.when].place;
    }
  }
  const std::vector<std::uint64_t>& gaps = levels_->sorted_gaps;
  const auto reaches = static_cast<std::uint64_t>((target + kUnitOfGap - 1) >> kTargetShift);
  return static_cast<std::size_t>(std::lower_bound(gaps.begin(), gaps.end(), reaches) -
                                  gaps.begin());
}

InnovationRandomizer::Choice InnovationRandomizer::choose(std::uint32_t value, std::uint32_t unit) {
  advance(value);
  const std::int64_t wanted = innovation();
  Choice choice;
  choice.negative = wanted < 0;
  const Wide target = target_of(static_cast<std::uint64_t>(choice.negative ? -wanted : wanted));

  const std::vector<std::uint64_t>& gaps = levels_->sorted_gaps;
  const std::vector<std::uint32_t>& order = levels_->order;
  std::size_t high = first_reaching(target);
  std::size_t low = high;
  while (high < gaps.size() && !is_left(order[high])) ++high;
  while (low > 0 && !is_left(order[low - 1])) --low;  // the level is low - 1, or none
  const std::uint64_t low_gap = low > 0 ? gaps[low - 1] : 0;
  const Wide above = target - (Wide{low_gap} << kTargetShift);
  bool takes_low = high == gaps.size();
  if (takes_low) {
    choice.missing = static_cast<std::uint64_t>(above >> kTargetShift);
  } else {
    // With B deciding bits, high is taken with probability (target - low) / (high - low), up to
    // 2^-B.
    const std::uint32_t coin_bits = levels_->coin_bits;
    const Wide span = Wide{gaps[high] - low_gap} << kTargetShift;
    // After a single recent change the target is a gap, and high is certain.
    takes_low = above != span && (unit >> coin_bits) * span >= above << (kUnitBits - coin_bits);
  }
  if (takes_low && low == 0) return choice;
  const std::uint32_t level = order[takes_low ? low - 1 : high];
  choice.position = levels_->first[level] + used_[level]++;
  ++num_used_;
  return choice;
}

std::uint32_t InnovationRandomizer::certain(std::uint32_t value, std::uint32_t count) const {
  // |V| must be what a steady sign carries: a value at one end of the range, held before. Before
  // joining with an unknown start y is 0, at neither end.
  const std::int32_t y = scaled(value);
  if (y != y_ || std::abs(y) != static_cast<std::int32_t>(levels_->full_scale)) return 0;
  // A step that is m periods old in the next one no longer counts.
  if (oldest_ < steps_.size() && now_ + 1 - steps_.back().when < levels_->num_lags()) return 0;
  return std::min(count, levels_->steady_count - used_.back());
}

SymbolBits InnovationRandomizer::take_certain(std::uint32_t count) {
  const std::uint32_t from = levels_->steady_first + used_.back();
  const std::uint64_t minus = noise_.take_bits(from, count);
  const std::uint64_t silent = noise_.may_be_zero() ? noise_.take_zero_bits(from, count) : 0;
  used_.back() += count;
  num_used_ += count;
  now_ += count;
  steps_.clear();
  oldest_ = 0;
  const std::uint64_t lanes = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return {y_ > 0 ? minus : ~(minus | silent) & lanes, silent};
}

std::uint32_t InnovationRandomizer::take_exact(std::uint32_t value, std::uint32_t count,
                                               std::uint32_t at, SymbolBits& symbols) {
  if (levels_->full_scale != 1 || oldest_ + 1 != steps_.size() || scaled(value) != y_) return 0;
  const Step& step = steps_.back();
  const std::vector<InnovationLevels::Serving>& by_lag =
      step.is_start ? levels_->after_start : levels_->after_change;
  const std::uint64_t negative = y_ < 0 ? 1U : 0U;  // V has the sign of y
  std::uint32_t lag = now_ + 1 - step.when, taken = 0;
  for (; taken < count && lag < by_lag.size(); ++taken, ++lag) {
    const InnovationLevels::Serving& serving = by_lag[lag];
    if (!serving.is_exact || !is_left(serving.level)) break;
    const std::uint32_t position = levels_->first[serving.level] + used_[serving.level]++;
    const std::uint64_t minus = noise_.take_bits(position, 1);
    const std::uint64_t silent = noise_.may_be_zero() ? noise_.take_zero_bits(position, 1) : 0;
    symbols.add({(minus ^ negative) & ~silent, silent}, at + taken);
  }
  now_ += taken;
  num_used_ += taken;
  return taken;
}

InnovationMemory InnovationRandomizer::memory() const {
  InnovationMemory memory;
  memory.used = used_;
  memory.phase = phase_;
  memory.age = age();
  const auto scale = static_cast<std::int32_t>(levels_->full_scale);
  std::int32_t y = y_;
  std::size_t next = steps_.size();
  const std::uint32_t num_held = std::min(lived(), levels_->num_lags());
  memory.held.resize(num_held);  // no copies of values stay behind
  for (std::uint32_t ago = 0; ago < num_held;) {
    // The value was held since the next step back, or longer.
    const bool has_step = next > oldest_;
    const std::uint32_t since = has_step ? now_ - steps_[next - 1].when : num_held - 1;
    const std::uint32_t end = std::min(since + 1, num_held);
    std::fill(memory.held.begin() + ago, memory.held.begin() + end,
              static_cast<std::uint32_t>((y + scale) / 2));
    if (has_step) y = steps_[--next].before;
    ago = end;
  }
  return memory;
}

void InnovationRandomizer::erase() {
  noise_.erase();
  std::fill(steps_.begin(), steps_.end(), Step{});
  steps_.clear();
  oldest_ = 0;
  y_ = 0;
  phase_ = 0;
}

}  // namespace futurerand
