#include "futurerand/collector/cluster/lease_watch.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

using std::chrono::milliseconds;

TEST(LeaseWatch, ExpiresWhenNothingMovesForALease) {
  LeaseWatch watch(milliseconds(1000));
  const LeaseWatch::Clock::time_point begin{std::chrono::hours(1)};
  EXPECT_TRUE(watch.runs("a", {"first", 1, 7}, begin));
  EXPECT_TRUE(watch.runs("a", {"first", 1, 7}, begin + milliseconds(999)));
  EXPECT_FALSE(watch.runs("a", {"first", 1, 7}, begin + milliseconds(1000)));
  // It comes back.
  EXPECT_TRUE(watch.runs("a", {"first", 1, 8}, begin + milliseconds(5000)));
  EXPECT_TRUE(watch.runs("a", {"first", 1, 8}, begin + milliseconds(5999)));
  EXPECT_FALSE(watch.runs("a", {"first", 1, 8}, begin + milliseconds(6000)));
}

TEST(LeaseWatch, AnotherOwnerOrEpochBeginsAnew) {
  LeaseWatch watch(milliseconds(1000));
  const LeaseWatch::Clock::time_point begin{std::chrono::hours(1)};
  EXPECT_TRUE(watch.runs("a", {"first", 1, 7}, begin));
  EXPECT_TRUE(watch.runs("a", {"second", 1, 7}, begin + milliseconds(2000)));
  EXPECT_TRUE(watch.runs("a", {"second", 2, 7}, begin + milliseconds(4000)));
  EXPECT_TRUE(watch.runs("b", {"second", 2, 7}, begin + milliseconds(6000)));
  EXPECT_FALSE(watch.runs("a", {"second", 2, 7}, begin + milliseconds(6000)));
}

}  // namespace
}  // namespace futurerand
