#include "futurerand/core/base/dyadic.hpp"

#include <bit>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Dyadic, EveryPrefixIsTiledByDistinctOrdersWithinTheHorizon) {
  for (Period t = 1; t <= 5000; ++t) {
    Period next = 1;
    Order previous_order = 99;
    int count = 0;
    for_each_in_prefix(t, [&](DyadicInterval interval) {
      EXPECT_EQ(interval.first(), next);
      EXPECT_LT(interval.order, previous_order);
      EXPECT_GE(interval.index, 1U);
      EXPECT_LE(interval.index, num_intervals(t, interval.order));
      EXPECT_EQ(interval.last() - interval.first() + 1, Period{1} << interval.order);
      next = interval.last() + 1;
      previous_order = interval.order;
      ++count;
    });
    EXPECT_EQ(next, t + 1);
    EXPECT_EQ(count, std::popcount(t));
  }
}

TEST(Dyadic, OrdersAreThoseWithAWholeInterval) {
  for (Period d = 1; d <= 3000; ++d) {
    EXPECT_GE(num_intervals(d, num_orders(d) - 1), 1U);
    EXPECT_EQ(num_intervals(d, num_orders(d)), 0U);
  }
  EXPECT_EQ(num_orders(256), 9U);  // 1 + log d for a power of two
}

TEST(Dyadic, ThePapersExample) {
  std::vector<DyadicInterval> intervals;
  for_each_in_prefix(3, [&](DyadicInterval interval) { intervals.push_back(interval); });
  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_EQ(intervals[0], (DyadicInterval{1, 1}));
  EXPECT_EQ(intervals[1], (DyadicInterval{0, 3}));
}

}  // namespace
}  // namespace futurerand
