// A user's flips at each order of the dyadic intervals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/plan/initial.hpp"
#include "futurerand/device/value_from.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

// Returns the value held in period t.
inline bool value_at(const Flips& flips, Period t) {
  return (std::upper_bound(flips.begin(), flips.end(), t) - flips.begin()) % 2 == 1;
}

// Returns the value in period t; 0 before the first value.
inline std::uint32_t value_at(const Values& values, Period t) {
  const auto after =
      std::upper_bound(values.begin(), values.end(), t,
                       [](Period at, const ValueFrom& from) { return at < from.period; });
  return after == values.begin() ? 0 : std::prev(after)->value;
}

// Returns by how much the value moves in all, in `from`..`to`; for yes/no the number of changes.
// The first value of these periods is free if the start is unknown.
inline std::uint64_t variation(const Values& values, Initial initial, Period from = 1,
                               Period to = kMaxPeriods) {
  std::uint64_t sum = initial == Initial::kUnknown ? 0 : value_at(values, from);
  std::int64_t held = value_at(values, from);
  for (const ValueFrom& at : values) {
    if (at.period <= from || at.period > to) continue;
    sum += static_cast<std::uint64_t>(std::abs(std::int64_t{at.value} - held));
    held = at.value;
  }
  return sum;
}

// Returns the periods of change of yes/no values.
inline Flips flips_of(const Values& values) {
  Flips flips;
  for (const ValueFrom& at : values) {
    if (at.value == (flips.size() % 2 == 0 ? 1U : 0U)) flips.push_back(at.period);
  }
  return flips;
}

// Returns how many flips count as changes: holding 1 from period 1 on does not if the start is
// unknown.
inline std::size_t num_changes(const Flips& flips, Initial initial) {
  const bool starts_with_one = !flips.empty() && flips.front() == 1;
  return flips.size() - (initial == Initial::kUnknown && starts_with_one ? 1 : 0);
}

// A user's values from each flip on, without storing them: a range of ValueFrom.
class FlippedValues {
 public:
  // The flips must outlive the range.
  explicit FlippedValues(const Flips& flips) : flips_(&flips) {}

  class Iterator {
   public:
    Iterator(const Flips& flips, std::size_t at) : flips_(&flips), at_(at) {}
    ValueFrom operator*() const { return {(*flips_)[at_], at_ % 2 == 0}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Flips* flips_;
    std::size_t at_;
  };
  Iterator begin() const { return {*flips_, 0}; }
  Iterator end() const { return {*flips_, flips_->size()}; }

 private:
  const Flips* flips_;
};

// Calls visit(index, sum) for the intervals of this order with a non-zero sum of changes; sum is +1
// or -1. An even number of flips cancels.
template <typename Visit>
void for_each_nonzero_sum(const Flips& flips, Order order, IntervalIndex num_indices,
                          Visit&& visit) {
  for (std::size_t i = 0; i < flips.size();) {
    const IntervalIndex index = ((flips[i] - 1) >> order) + 1;
    if (index > num_indices) return;
    std::size_t end = i + 1;
    while (end < flips.size() && flips[end] <= index << order) ++end;
    if ((end - i) % 2 == 1) visit(index, i % 2 == 0 ? +1 : -1);
    i = end;
  }
}

}  // namespace futurerand
