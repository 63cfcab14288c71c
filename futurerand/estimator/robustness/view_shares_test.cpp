#include "futurerand/estimator/robustness/view_shares.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/estimator/robustness/self_check.hpp"

namespace futurerand {
namespace {

Plan shares_plan(const char* epsilon = "1") {
  return *make_plan(Protocol::kHybrid, 64, 4, *Epsilon::parse(epsilon));
}

// Enrols `devices` devices in a period. Each draws its view and start by the plan.
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

// At a rate of 5% honest fleets break it in 5% of the runs at most, looked at after every period.
TEST(ViewShares, HonestFleetsBreakThemAtTheStatedRate) {
  const Plan plan = shares_plan();
  std::mt19937_64 random(31);
  int broken = 0;
  for (int run = 0; run < 200; ++run) {
    Sums sums(plan);
    for (Period t = 1; t <= 64; ++t) enrol_honest(plan, t, 40, random, sums);
    broken += shares_broken_by(plan, sums, 64, 0.05) != 0;
  }
  EXPECT_LE(broken, 10 + 9);  // three standard deviations
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

// The log likelihood ratio of a share near the plan's to the plan's own, if `chosen` of `all` make
// one choice. It adds up one device after the other: after i of m devices chose it, the next one
// does with probability (a + i) / (a + b + m).
double log_likelier(std::uint64_t chosen, std::uint64_t all, double share) {
  constexpr double kSpread = 1000;
  double log = 0;
  for (std::uint64_t m = 0; m < all; ++m) {
    const bool chose = m < chosen;
    const double before = static_cast<double>(chose ? m : m - chosen);
    const double part = chose ? share : 1 - share;
    log += std::log((kSpread * part + before) / (kSpread + static_cast<double>(m)) / part);
  }
  return log;
}

// By Ville's inequality a rate a is kept by raising the alarm above 1 / a; each view, and each
// start of a snapshot, has its part of it.
TEST(ViewShares, RaiseTheAlarmAtTheFirstClaimTooMany) {
  constexpr double kRate = 0.01;
  constexpr std::uint64_t kDevices = 20'000;
  for (const Protocol protocol : {Protocol::kOptimal, Protocol::kHybrid}) {
    const Plan plan = *make_plan(protocol, 64, 4, *Epsilon::parse("1"));
    double choices = static_cast<double>(plan.views.size());
    for (const View& view : plan.views) {
      const Schedule schedule(view, 64);
      if (schedule.draws_start() && schedule.stride > 1) choices += schedule.stride;
    }
    const auto too_many_of = [&](std::uint64_t all, double share) {
      auto chosen = static_cast<std::uint64_t>(static_cast<double>(all) * share);
      while (log_likelier(chosen, all, share) <= std::log(choices / kRate)) ++chosen;
      return chosen;
    };
    // So many in one view, or of its devices with one start, and everything else as planned.
    const auto broken_by = [&](std::uint32_t claimed, std::uint64_t in_view,
                               std::uint64_t with_start) {
      Sums sums(plan);
      std::uint64_t left = kDevices - in_view,
                    weights = plan.total_weight() - plan.views[claimed].weight;
      for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
        const Schedule schedule(plan.views[v], 64);
        std::uint64_t devices = in_view;
        if (v != claimed) {
          devices = left * plan.views[v].weight / weights;
          left -= devices;
          weights -= plan.views[v].weight;
        }
        const std::uint32_t starts = schedule.draws_start() ? schedule.stride : 1;
        for (std::uint32_t start = starts; start >= 1; --start) {
          std::uint64_t here = devices / start;
          if (v == claimed && with_start > 0) here = start == starts ? with_start : devices / start;
          sums.enrol(v, 1, schedule.draws_start() ? start : 0, here);
          devices -= here;
        }
      }
      return shares_broken_by(plan, sums, 64, kRate) != 0;
    };
    for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
      const double share =
          static_cast<double>(plan.views[v].weight) / static_cast<double>(plan.total_weight());
      const std::uint64_t many = too_many_of(kDevices, share);
      EXPECT_FALSE(broken_by(v, many - 1, 0)) << v;
      EXPECT_TRUE(broken_by(v, many, 0)) << v;
      const Schedule schedule(plan.views[v], 64);
      if (!schedule.draws_start() || schedule.stride == 1) continue;
      const auto honest = static_cast<std::uint64_t>(kDevices * share);
      const std::uint64_t many_with = too_many_of(honest, 1.0 / schedule.stride);
      EXPECT_FALSE(broken_by(v, honest, many_with - 1)) << v;
      EXPECT_TRUE(broken_by(v, honest, many_with)) << v;
    }
  }
}

TEST(ViewShares, LeaveNothingToChooseWithOneView) {
  const Plan plan = *make_plan(Protocol::kInnovation, 64, 4, *Epsilon::parse("1"));
  Sums sums(plan);
  sums.enrol(0, 1, 0, 5000);
  EXPECT_EQ(shares_broken_by(plan, sums, 64, 0.5), 0U);
}

}  // namespace
}  // namespace futurerand
