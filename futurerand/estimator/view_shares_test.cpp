#include "futurerand/estimator/view_shares.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/estimator/self_check.hpp"

namespace futurerand {
namespace {

Plan shares_plan(const char* epsilon = "1") {
  return *make_plan(Protocol::kHybrid, 64, 4, *Epsilon::parse(epsilon));
}

// Devices that draw their view and start as the plan says, so many in each period.
void enrol_honest(const Plan& plan, Period period, int devices, std::mt19937_64& random,
                  Sums& sums) {
  std::vector<double> weights;
  for (const View& view : plan.views) weights.push_back(static_cast<double>(view.weight));
  std::discrete_distribution<std::uint32_t> view_of(weights.begin(), weights.end());
  for (int i = 0; i < devices; ++i) {
    const std::uint32_t view = view_of(random);
    const Schedule schedule(plan.views[view], plan.num_periods);
    std::uniform_int_distribution<std::uint32_t> start_of(1, schedule.stride);
    sums.enrol(view, period, schedule.draws_start() ? start_of(random) : 0);
  }
}

// At a rate of 5% honest fleets break it in 5% of the runs at most, looked at after every period; a
// test that never speaks is none, so that a few are wanted at the loosest rate.
TEST(ViewShares, HonestFleetsBreakThemAtTheStatedRate) {
  const Plan plan = shares_plan();
  std::mt19937_64 random(31);
  int broken = 0, broken_loosely = 0;
  for (int run = 0; run < 200; ++run) {
    Sums sums(plan);
    for (Period t = 1; t <= 64; ++t) enrol_honest(plan, t, 40, random, sums);
    broken += shares_broken_by(plan, sums, 64, 0.05) != 0;
    broken_loosely += shares_broken_by(plan, sums, 64, 0.999) != 0;
  }
  EXPECT_LE(broken, 10 + 9);  // three standard deviations
  EXPECT_GE(broken_loosely, 1);
}

TEST(ViewShares, TellWhenALiarsViewIsClaimedTooOften) {
  const Plan plan = shares_plan();
  const Claim worst = influence_of_one(plan).by.back();
  std::mt19937_64 random(32);
  Sums sums(plan);
  enrol_honest(plan, 1, 20'000, random, sums);
  EXPECT_EQ(shares_broken_by(plan, sums, 64, kAlarmRateEach), 0U);
  Sums few = sums, many = sums;
  const std::uint64_t unnoticed = unnoticed_claims(plan, worst, 20'000, kAlarmRateEach);
  few.enrol(worst.view, 9, worst.start, unnoticed / 4);
  many.enrol(worst.view, 9, worst.start, 2 * unnoticed + 10);
  EXPECT_EQ(shares_broken_by(plan, few, 64, kAlarmRateEach), 0U);
  EXPECT_GE(shares_broken_by(plan, many, 64, kAlarmRateEach), 9U);
  EXPECT_EQ(shares_broken_by(plan, many, 8, kAlarmRateEach), 0U);
  EXPECT_EQ(check_enrolled(plan, many, 64).text, kSharesAlarmText);
  // 1% of them would be noticed.
  EXPECT_LT(unnoticed, 200U);
}

// The martingale, from its definition: its mean under the plan's share is 1.
TEST(ViewShares, AreJudgedByAMartingale) {
  const double share = 0.3, spread = 1000;
  double mean = 0;
  for (int chosen = 0; chosen <= 40; ++chosen) {
    const double binomial = std::lgamma(41) - std::lgamma(chosen + 1) - std::lgamma(41 - chosen);
    const auto log_beta = [](double a, double b) {
      return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
    };
    mean +=
        std::exp(binomial + log_beta(chosen + spread * share, 40 - chosen + spread * (1 - share)) -
                 log_beta(spread * share, spread * (1 - share)));
  }
  EXPECT_NEAR(mean, 1, 1e-9);
}

TEST(ViewShares, LeaveNothingToChooseWithOneView) {
  const Plan plan = *make_plan(Protocol::kInnovation, 64, 4, *Epsilon::parse("1"));
  Sums sums(plan);
  sums.enrol(0, 1, 0, 5000);
  EXPECT_EQ(shares_broken_by(plan, sums, 64, 0.5), 0U);
}

}  // namespace
}  // namespace futurerand
