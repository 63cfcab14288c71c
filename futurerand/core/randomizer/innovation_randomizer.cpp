#include "futurerand/core/randomizer/innovation_randomizer.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace futurerand {
namespace {

constexpr std::uint32_t kUnitBits = 32;
__extension__ using Wide = unsigned __int128;

}  // namespace

InnovationLevels::InnovationLevels(const WeightedThresholdLaw& law)
    : num_signs(law.num_signs), nonzero(law.nonzero), coin_bits(law.may_be_zero() ? 8 : 1) {
  std::uint32_t position = 0;
  for (const auto& level : law.levels) {
    gaps.push_back(level.gap);
    stocks.push_back(level.stock);
    first.push_back(position);
    position += level.stock;
  }
}

InnovationRandomizer::InnovationRandomizer(std::shared_ptr<const InnovationLevels> levels,
                                           SignVector noise)
    : levels_(std::move(levels)),
      noise_(std::move(noise)),
      used_(levels_->gaps.size()),
      lowest_(levels_->settled()) {
  // At most one change a period is remembered, and half are spent before they are moved.
  changes_.reserve(2 * std::size_t{levels_->settled()} + 2);
}

InnovationRandomizer::InnovationRandomizer(std::shared_ptr<const InnovationLevels> levels,
                                           SignVector noise, const InnovationMemory& memory)
    : InnovationRandomizer(std::move(levels), std::move(noise)) {
  used_ = memory.used;
  for (const std::uint32_t used : used_) num_used_ += used;
  find_lowest();
  // The oldest value that is remembered is as good as settled: it was held when the change that
  // brought it was m - 1 periods old or more.
  const std::uint32_t m = levels_->settled();
  now_ = m;
  value_ = false;
  for (std::uint32_t age = m; age-- > 0;) {
    const bool value = memory.held.is_minus(age);
    if (value != value_) changes_.push_back(now_ - age);
    value_ = value;
  }
}

bool InnovationRandomizer::is_possible(const InnovationLevels& levels, const SignVector& noise,
                                       const InnovationMemory& memory, std::uint32_t periods) {
  if (noise.size() != levels.num_signs) return false;
  if (noise.may_be_zero() != levels.may_be_zero()) return false;
  if (memory.used.size() != levels.gaps.size()) return false;
  if (memory.held.size() != levels.settled() || memory.held.may_be_zero()) return false;
  std::uint64_t used = 0;
  for (std::size_t l = 0; l < memory.used.size(); ++l) {
    if (memory.used[l] > levels.stocks[l]) return false;
    used += memory.used[l];
    for (std::uint32_t i = 0; i < memory.used[l]; ++i) {
      if (noise.at(levels.first[l] + i) != Sign::kPlus) return false;
    }
  }
  if (used > periods) return false;
  for (std::uint32_t age = periods; age < memory.held.size(); ++age) {
    if (memory.held.is_minus(age)) return false;
  }
  return true;
}

// A change at age a adds +-(G_m + G_a), one of m or more adds +-2 G_m, and a device without any
// change has -G_m. This is the sum of the header, put together by changes.
std::int64_t InnovationRandomizer::innovation() const {
  const auto gap_of = [this](std::uint32_t level) {
    return static_cast<std::int64_t>(levels_->gaps[level]);
  };
  const std::int64_t settled = gap_of(levels_->settled());
  bool value = value_;
  std::int64_t innovation = 0;
  for (std::size_t i = changes_.size(); i-- > oldest_;) {
    const std::int64_t fresh = settled + gap_of(now_ - changes_[i]);
    innovation += value ? fresh : -fresh;
    value = !value;
  }
  return innovation + (value ? settled : -settled);
}

std::uint32_t InnovationRandomizer::level_for(std::uint64_t size) const {
  const std::uint32_t settled = levels_->settled();
  if (lowest_ == kNone || levels_->gaps[lowest_] >= size) return lowest_;
  // Gaps do not increase, so the first `large` levels are large enough: those up to the age of the
  // last change (innovation.md, proof 2), and seldom more.
  const std::vector<std::uint64_t>& gaps = levels_->gaps;
  std::uint32_t large = 1 + (oldest_ < changes_.size() ? now_ - changes_.back() : settled);
  while (large <= settled && gaps[large] >= size) ++large;
  for (std::uint32_t level = large; level-- > 0;) {
    if (in_stock(level)) return level;
  }
  std::uint32_t level = large;
  while (!in_stock(level)) ++level;
  return level;
}

void InnovationRandomizer::find_lowest() {
  lowest_ = levels_->settled();
  while (lowest_ != kNone && !in_stock(lowest_)) --lowest_;
}

Sign InnovationRandomizer::take(std::uint32_t level) {
  const std::uint32_t position = levels_->first[level] + used_[level]++;
  ++num_used_;
  const Sign sign = noise_.take(position);
  while (lowest_ != kNone && !in_stock(lowest_)) --lowest_;
  return sign;
}

void InnovationRandomizer::advance(bool value) {
  ++now_;
  const std::uint32_t m = levels_->settled();
  while (oldest_ < changes_.size() && now_ - changes_[oldest_] >= m) ++oldest_;
  if (oldest_ == changes_.size() || oldest_ > m) {
    changes_.erase(changes_.begin(), changes_.begin() + oldest_);
    oldest_ = 0;
  }
  if (value != value_) changes_.push_back(now_);
  value_ = value;
}

Sign InnovationRandomizer::randomize(bool value, std::uint32_t unit) {
  advance(value);
  const std::int64_t wanted = innovation();
  const bool negative = wanted < 0;
  const auto size = static_cast<std::uint64_t>(negative ? -wanted : wanted);
  const std::uint32_t level = level_for(size);
  if (level == kNone) return levels_->coin(unit);
  // With B bits that decide, the noise is used if floor(v G / 2^B) < |U|, which has probability
  // |U| / G but for less than 2^-B.
  const std::uint32_t coin_bits = levels_->coin_bits;
  const std::uint64_t gap = levels_->gaps[level];
  // Where |U| is G it is always used, as when there was one change of late: mostly.
  if (gap != size && (Wide{unit >> coin_bits} * gap >> (kUnitBits - coin_bits)) >= size) {
    return levels_->coin(unit);
  }
  const Sign sign = take(level);
  return negative ? reversed(sign) : sign;
}

std::uint32_t InnovationRandomizer::certain(bool value, std::uint32_t count) const {
  const std::uint32_t m = levels_->settled();
  if (lowest_ != m || value != value_) return 0;
  // A change that turns m in the next period is settled then.
  if (oldest_ < changes_.size() && now_ + 1 - changes_.back() < m) return 0;
  return std::min(count, levels_->stocks[m] - used_[m]);
}

SymbolBits InnovationRandomizer::take_certain(bool value, std::uint32_t count) {
  const std::uint32_t m = levels_->settled();
  const std::uint32_t from = levels_->first[m] + used_[m];
  const std::uint64_t minus = noise_.take_bits(from, count);
  const std::uint64_t silent = noise_.may_be_zero() ? noise_.take_zero_bits(from, count) : 0;
  used_[m] += count;
  num_used_ += count;
  now_ += count;
  changes_.clear();
  oldest_ = 0;
  while (lowest_ != kNone && !in_stock(lowest_)) --lowest_;
  const std::uint64_t lanes = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return {value ? minus : ~(minus | silent) & lanes, silent};
}

InnovationMemory InnovationRandomizer::memory() const {
  const std::uint32_t m = levels_->settled();
  InnovationMemory memory{used_, SignVector(m)};
  bool value = value_;
  std::size_t next = changes_.size();
  for (std::uint32_t age = 0; age < m; ++age) {
    // The change of this age brought the value that was held from then on.
    memory.held.set_minus(age, value);
    if (next > oldest_ && now_ - changes_[next - 1] == age) {
      value = !value;
      --next;
    }
  }
  return memory;
}

void InnovationRandomizer::erase() {
  noise_.erase();
  std::fill(changes_.begin(), changes_.end(), 0U);
  changes_.clear();
  oldest_ = 0;
  value_ = false;
}

}  // namespace futurerand
