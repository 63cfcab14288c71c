#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"

namespace futurerand {
namespace {

// In period 20, `devices` devices reported and `beyond` of them exceeded the cap.
Period first_alarm(std::uint64_t devices, std::uint64_t beyond, bool capped = true) {
  const Plan plan = *make_plan(Protocol::kInnovation, 30, 2, *Epsilon::parse("1"));
  Presence presence = *empty_presence(plan, capped);
  std::vector<PresenceTable> tables = presence.tables();
  tables[0].reported[19].devices = static_cast<std::int64_t>(devices);
  tables[0].clipped[19] = static_cast<std::int64_t>(beyond);
  presence.merge(tables);
  EXPECT_EQ(beyond_cap_by(presence, 19), 0U);
  return beyond_cap_by(presence, 30);
}

// By sums of Poisson probabilities, of 2, 20 and 200 expected 12, 43 and 266 are too many for a
// rate of 1e-3 / 6 / 30, looked at once. The test holds at all times, and asks for somewhat more.
TEST(BeyondCap, AlarmWhereTooManyExceedIt) {
  EXPECT_EQ(first_alarm(10'000, 11), 0U);
  EXPECT_EQ(first_alarm(100'000, 42), 0U);
  EXPECT_EQ(first_alarm(1'000'000, 265), 0U);
  EXPECT_EQ(first_alarm(10'000, 14), 20U);
  EXPECT_EQ(first_alarm(100'000, 54), 20U);
  EXPECT_EQ(first_alarm(1'000'000, 290), 20U);
  EXPECT_EQ(first_alarm(0, 0), 0U);
  EXPECT_EQ(first_alarm(10'000, 14, false), 0U);
}

// One of three supermartingales passes the share of the rate that it has, of each period.
bool is_noticed(double found, double reports, double periods) {
  const double expected = reports * 2 * kCapRate;
  for (const double tilt : {0.125, 0.5, 2.0}) {
    const double wealth = std::exp(tilt * found - (std::exp(tilt) - 1) * expected);
    if (wealth > 3 * periods / kAlarmRateEach) return true;
  }
  return false;
}

TEST(BeyondCap, OneMoreThanTheMostIsNoticed) {
  for (const std::uint64_t reports : {0U, 1U, 500U, 20'000U, 100'000U, 1'000'000U}) {
    std::uint64_t first = 0;  // that is noticed
    while (!is_noticed(static_cast<double>(first), static_cast<double>(reports), 30)) ++first;
    EXPECT_EQ(most_beyond_unnoticed(reports, 30), first - 1) << reports;
    EXPECT_EQ(first_alarm(reports, first - 1), 0U) << reports;
    EXPECT_EQ(first_alarm(reports, first), 20U) << reports;
  }
  EXPECT_GT(most_beyond_unnoticed(20'000, 4096), most_beyond_unnoticed(20'000, 64));
}

}  // namespace
}  // namespace futurerand
