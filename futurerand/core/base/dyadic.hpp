// Dyadic intervals over periods 1..d, and the decomposition of a prefix into them.
// [OWW22] section 3, definition of dyadic intervals and the dyadic decomposition fact.
//
// The paper takes d to be a power of two. Here d is any horizon: only intervals wholly inside 1..d
// exist, so the orders are 0..floor(log2 d) and every prefix still decomposes.
#pragma once

#include <bit>
#include <cstdint>

namespace futurerand {

using Period = std::uint32_t;         // 1..num_periods; 0 is "before the first period"
using Order = std::uint32_t;          // an interval of order h spans 2^h periods
using IntervalIndex = std::uint32_t;  // 1..num_intervals(num_periods, order)

inline constexpr Period kMaxPeriods = Period{1} << 20;

struct DyadicInterval {
  Order order;
  IntervalIndex index;

  constexpr Period first() const { return ((index - 1) << order) + 1; }
  constexpr Period last() const { return index << order; }

  friend bool operator==(const DyadicInterval&, const DyadicInterval&) = default;
};

// The number of orders, 1 + log d in the paper. Requires num_periods >= 1.
constexpr Order num_orders(Period num_periods) {
  return static_cast<Order>(std::bit_width(num_periods));
}

// L_h in the paper: how many whole intervals of this order fit into the horizon.
constexpr IntervalIndex num_intervals(Period num_periods, Order order) {
  return num_periods >> order;
}

// Calls visit(interval) for each member of the decomposition C(t) of 1..t, longest first;
// orders are distinct, and there are popcount(t) of them.
template <typename Visit>
constexpr void for_each_in_prefix(Period t, Visit&& visit) {
  for (Order order = num_orders(t); order-- > 0;) {
    if ((t >> order) & 1U) visit(DyadicInterval{order, t >> order});
  }
}

}  // namespace futurerand
