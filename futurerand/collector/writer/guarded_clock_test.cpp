#include "futurerand/collector/writer/guarded_clock.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class GuardedClockTest : public testing::Test {
 protected:
  // `elapsed` after the beginning by the steady clock, while the wall clock is off by `off`.
  Instant tick(milliseconds elapsed, milliseconds off = {}) {
    return guard_.observe(kBegin + elapsed + off, kSteady + elapsed);
  }

  const Instant kBegin{hours(500'000)};
  const GuardedClock::Steady kSteady = hours(77);
  std::vector<Event> said_;
  GuardedClock guard_{
      {minutes(10), [this](Event event, const std::string&) { said_.push_back(event); }}};
};

TEST_F(GuardedClockTest, AJumpStopsTheTimeUntilItIsUndone) {
  EXPECT_EQ(tick(seconds(0)), kBegin);
  EXPECT_EQ(tick(seconds(5)), kBegin + seconds(5));
  for (int at = 6; at < 9; ++at) EXPECT_EQ(tick(seconds(at), hours(1440)), kBegin + seconds(5));
  EXPECT_TRUE(guard_.is_stopped());
  EXPECT_EQ(guard_.at(kSteady + seconds(9)), kBegin + seconds(5));
  EXPECT_EQ(tick(seconds(10)), kBegin + seconds(10));
  EXPECT_FALSE(guard_.is_stopped());
  EXPECT_EQ(said_, (std::vector{Event::kClockStopped, Event::kClockGoesOn}));
}

TEST_F(GuardedClockTest, ANewTimeIsBelievedOnceItHasAgreedForAWhile) {
  tick(seconds(0));
  EXPECT_EQ(tick(minutes(1), -hours(48)), kBegin);
  EXPECT_EQ(tick(minutes(10), -hours(48)), kBegin);
  EXPECT_EQ(tick(minutes(11), -hours(48)), kBegin + minutes(11) - hours(48));
  EXPECT_FALSE(guard_.is_stopped());
  // A clock with repeated jumps is not accepted.
  for (int at = 12; at < 60; ++at) tick(minutes(at), hours(24 * at));
  EXPECT_TRUE(guard_.is_stopped());
}

TEST_F(GuardedClockTest, TheOperatorMayConfirm) {
  tick(seconds(0));
  tick(seconds(1), hours(100));
  guard_.confirm();
  EXPECT_FALSE(guard_.is_stopped());
  EXPECT_EQ(tick(seconds(2), hours(100)), kBegin + seconds(2) + hours(100));
}

TEST_F(GuardedClockTest, ToleranceIsTheShortestPeriod) {
  tick(seconds(0));
  EXPECT_EQ(tick(seconds(1), minutes(50)), kBegin + seconds(1) + minutes(50));  // an hour at first
  guard_.set_tolerance(seconds(10));
  tick(seconds(2), minutes(50) + seconds(9));
  EXPECT_FALSE(guard_.is_stopped());
  tick(seconds(3), minutes(50) + seconds(20));
  EXPECT_TRUE(guard_.is_stopped());
}

TEST_F(GuardedClockTest, AStartComparesWithWhatWasDurable) {
  guard_.begin_after(kBegin - hours(23));
  EXPECT_EQ(tick(seconds(0)), kBegin);
  GuardedClock ahead({minutes(10)});
  ahead.begin_after(kBegin - hours(1440));
  EXPECT_EQ(ahead.observe(kBegin, kSteady), kBegin - hours(1440));
  EXPECT_TRUE(ahead.is_stopped());
  GuardedClock behind({minutes(10)});
  behind.begin_after(kBegin + hours(2));
  behind.observe(kBegin, kSteady);
  EXPECT_TRUE(behind.is_stopped());
  behind.observe(kBegin + minutes(10), kSteady + minutes(10));
  EXPECT_FALSE(behind.is_stopped());
}

}  // namespace
}  // namespace futurerand
