#include "futurerand/estimator/transcript_limits.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/estimator/self_check.hpp"

namespace futurerand {
namespace {

Plan limited_plan(Period periods, const char* epsilon) {
  return *make_plan(Protocol::kInnovation, periods, 2, *Epsilon::parse(epsilon));
}

// The cap's own numbers, and the sum of the definition, one report after the other.
double excess_by_definition(const Plan& plan, const TranscriptCap& cap, const Told& told, Period t,
                            Period last) {
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const std::vector<double> r = filter.response(plan.num_periods);
  double said = 0;
  for (Period s = told.joined; s <= t; ++s) {
    const int sign = s > last || told.is_zero(s) ? 0 : told.is_minus(s) ? -1 : 1;
    said += r[t - s] * (sign / filter.kappa + filter.alpha / 2);
  }
  const std::size_t age = t - told.joined;
  return std::max(0.0, said - cap.most[age]) - std::max(0.0, cap.least[age] - said);
}

TEST(TranscriptLimits, ExcessIsThatOfTheDefinition) {
  std::mt19937_64 random(21);
  for (const Plan& plan : {limited_plan(30, "1"), limited_plan(200, "2"), limited_plan(130, "6")}) {
    const TranscriptCap cap = *transcript_cap(plan);
    const auto limits = TranscriptLimits::of(plan);
    const bool quiet = may_be_zero(plan.views.front().law);
    int beyond = 0;
    for (int device = 0; device < 200; ++device) {
      std::uint64_t minus[4] = {}, silent[4] = {};
      const auto joined = static_cast<Period>(1 + random() % 20);
      const Period next = plan.num_periods + 1 - static_cast<Period>(random() % 10);
      const int one_sign_in = static_cast<int>(random() % 8);  // others are rare
      for (Period t = joined; t < plan.num_periods; ++t) {     // also what is not told any more
        const std::uint64_t bit = std::uint64_t{1} << ((t - 1) % 64);
        const bool other = one_sign_in == 0 ? random() % 2 == 0 : random() % 32 == 0;
        if (other == (device % 2 == 0)) minus[(t - 1) / 64] |= bit;
        if (quiet && random() % 3 == 0) {
          silent[(t - 1) / 64] |= bit;
          minus[(t - 1) / 64] &= ~bit;
        }
      }
      const Told told{0, joined, next, joined, next, minus, quiet ? silent : nullptr};
      for (Period t = joined; t < next; ++t) {
        const double excess = limits->devices(limits->excess(told, t));
        ASSERT_NEAR(excess, excess_by_definition(plan, cap, told, t, t), 1e-3) << t;
        beyond += excess != 0 ? 1 : 0;
      }
      for (Period t = joined; t <= std::min(next, plan.num_periods); ++t) {
        ASSERT_NEAR(limits->devices(limits->excess_before(told, t)),
                    excess_by_definition(plan, cap, told, t, t - 1), 1e-3)
            << t;
      }
    }
    EXPECT_GT(beyond, 100);
  }
}

TEST(TranscriptLimits, AreMadeOnceForAPlan) {
  const auto one = TranscriptLimits::of(limited_plan(30, "1"));
  EXPECT_EQ(one, TranscriptLimits::of(limited_plan(30, "1")));
  EXPECT_NE(one, TranscriptLimits::of(limited_plan(31, "1")));
  EXPECT_NE(one, TranscriptLimits::of(limited_plan(30, "2")));
  EXPECT_EQ(TranscriptLimits::of(*make_plan(Protocol::kOptimal, 30, 2, *Epsilon::parse("1"))),
            nullptr);
}

// So many devices reported period 20, and so many of them lay beyond.
Period first_alarm(std::uint64_t devices, std::uint64_t beyond) {
  const Plan plan = limited_plan(30, "1");
  Sums sums(plan);
  sums.add(0, 20, 0, devices);
  Presence presence = *empty_presence(plan, true);
  presence.add_beyond(20, {0, beyond}, 0);
  EXPECT_EQ(beyond_limits_by(presence, sums, 19), 0U);
  return beyond_limits_by(presence, sums, 30);
}

// By sums of Poisson probabilities, of 2, 20 and 200 expected 12, 43 and 266 are too many for a
// rate of 1e-3 / 6 / 30, looked at once. The test holds at all times, and asks for somewhat more.
TEST(TranscriptLimits, AlarmWhereTooManyPassThem) {
  EXPECT_EQ(first_alarm(10'000, 11), 0U);
  EXPECT_EQ(first_alarm(100'000, 42), 0U);
  EXPECT_EQ(first_alarm(1'000'000, 265), 0U);
  EXPECT_EQ(first_alarm(10'000, 14), 20U);
  EXPECT_EQ(first_alarm(100'000, 54), 20U);
  EXPECT_EQ(first_alarm(1'000'000, 290), 20U);
  EXPECT_EQ(first_alarm(0, 0), 0U);
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

TEST(TranscriptLimits, OneMoreThanTheMostBeyondIsNoticed) {
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
