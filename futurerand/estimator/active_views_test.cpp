// Those active, of plans with heartbeats: against estimates from sums that never heard of the
// others.
#include "futurerand/estimator/active_views.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/plan/gone.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {
namespace {

Plan beating_plan(Protocol protocol, Period periods, const char* epsilon) {
  Plan plan = *make_plan(protocol, periods, 2, *Epsilon::parse(epsilon));
  plan.heartbeats = true;
  return plan;
}

std::vector<Plan> beating_plans() {
  return {beating_plan(Protocol::kHybrid, 40, "1"), beating_plan(Protocol::kHybrid, 24, "4"),
          beating_plan(Protocol::kOptimal, 40, "1"), beating_plan(Protocol::kSnapshot, 20, "1"),
          beating_plan(Protocol::kRepeated, 20, "1")};
}

struct BeatingDevice {
  Enrolment enrolment;
  Period next;                        // the first period that it did not tell of
  std::vector<std::uint64_t> minus;   // a bit for each index
  std::vector<std::uint64_t> silent;  // likewise
};

bool bit(const std::vector<std::uint64_t>& words, std::uint32_t j) {
  return (words[(j - 1) / 64] >> ((j - 1) % 64) & 1U) != 0;
}

std::vector<BeatingDevice> some_beating_devices(const Plan& plan, std::size_t count,
                                                std::mt19937_64& random) {
  const Period d = plan.num_periods;
  std::vector<BeatingDevice> devices;
  for (std::size_t i = 0; i < count; ++i) {
    const auto view = static_cast<std::uint32_t>(random() % plan.views.size());
    const Schedule schedule(plan.views[view], d);
    const auto joined = static_cast<Period>(i % 3 == 0 ? 1 + random() % d : 1);
    const auto start =
        static_cast<std::uint32_t>(schedule.draws_start() ? 1 + random() % schedule.stride : 0);
    const auto next =
        static_cast<Period>(i % 2 == 0 ? joined + random() % (d + 2 - joined) : d + 1);
    const std::uint64_t silent = schedule.may_be_zero ? random() & random() : 0;
    devices.push_back({{{}, view, joined, start}, next, {random() & ~silent}, {silent}});
  }
  return devices;
}

struct BeatingFold {
  Sums sums;
  Presence presence;
};

// As the collector does it while `current` runs. Some are put into rows before these are merged,
// and some after.
BeatingFold folded_beating(const Plan& plan, const std::vector<BeatingDevice>& devices,
                           Period current, const LeavingRule& rule = {1, kMaxGoneAfter}) {
  BeatingFold fold{Sums(plan), Presence(plan, nullptr, rule)};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const BeatingDevice& device = devices[i];
    if (i == devices.size() / 3) fold.presence.merge_gone(current / 2);
    if (i == devices.size() / 3 * 2) fold.presence.merge_gone(current);
    const auto& [client, view, joined, start] = device.enrolment;
    const Schedule schedule(plan.views[view], plan.num_periods);
    fold.sums.enrol(view, joined, start);
    const std::uint32_t first = schedule.first_index(joined, start);
    std::uint32_t index = first;
    for (; index <= schedule.num_indices && schedule.due(index) < device.next;
         index += schedule.stride) {
      const Sign sign = bit(device.silent, index) ? Sign::kZero : sign_of(bit(device.minus, index));
      fold.sums.add(view, index, one_report(sign));
    }
    fold.presence.add_missing(device.next, 1);
    if (device.next + 2 > current || device.next > plan.num_periods) continue;
    fold.presence.put({view, joined, device.next, first, index, device.minus.data(),
                       schedule.may_be_zero ? device.silent.data() : nullptr});
  }
  return fold;
}

// Who is gone left in the first period of its step.
std::vector<BeatingDevice> left_in_steps(std::vector<BeatingDevice> devices, const GoneRule& rule,
                                         Period step) {
  for (BeatingDevice& device : devices) {
    if (rule.is_gone(device.next)) device.next -= (device.next - 1) % step;
  }
  return devices;
}

// The estimate of period t from those alone of `devices` that told of period `told`, where some
// told more than they count for.
PeriodEstimate from_those(const Plan& plan, const std::vector<BeatingDevice>& all,
                          const std::vector<BeatingDevice>& counted, Period told, Period t) {
  std::vector<BeatingDevice> devices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (counted[i].next > told) devices.push_back(all[i]);
  }
  return estimate(plan, folded_beating(plan, devices, 0).sums, EstimatorKind::kOnline, t).back();
}

void expect_same(double a, double b) {
  if (!std::isfinite(a) && !std::isfinite(b)) return;
  EXPECT_NEAR(a, b, 1e-6 * (1 + std::abs(b)));
}

TEST(ActiveViews, AreEstimatedFromThoseWhoWereThereAlone) {
  std::mt19937_64 random(21);
  for (const Plan& plan : beating_plans()) {
    for (const Period step : {1U, 2U, 8U}) {
      SCOPED_TRACE(std::string(name_of(plan.protocol)) + ' ' + std::to_string(step));
      const Period d = plan.num_periods;
      const GoneRule rule{d + 1, 4};
      const std::vector<BeatingDevice> devices = some_beating_devices(plan, 600, random);
      const std::vector<BeatingDevice> counted = left_in_steps(devices, rule, step);
      const BeatingFold fold = folded_beating(plan, devices, rule.current, {step, rule.gone_after});
      const auto active =
          estimate_active(plan, fold.sums, fold.presence, rule, EstimatorKind::kOnline, d);
      ASSERT_EQ(active.size(), d);
      std::size_t known = 0;
      for (Period t = 1; rule.is_gone(t); ++t) {
        const PeriodEstimate expected = from_those(plan, devices, counted, t, t);
        expect_same(active[t - 1].at.estimate, expected.estimate);
        expect_same(active[t - 1].at.stddev, expected.stddev);
        if (std::isfinite(expected.estimate)) ++known;
        const auto there = static_cast<std::uint64_t>(
            std::count_if(counted.begin(), counted.end(), [&](const BeatingDevice& device) {
              return device.enrolment.period <= t && device.next > t;
            }));
        EXPECT_EQ(active[t - 1].devices, there) << t;
        EXPECT_EQ(active[t - 1].reports, there) << t;
      }
      EXPECT_GT(known, d / 2);
    }
  }
}

// Of a cluster the earliest clock of a shard counts, while others have merged rows by theirs.
TEST(ActiveViews, InMergedRowsAreGone) {
  std::mt19937_64 random(26);
  const Plan plan = beating_plan(Protocol::kHybrid, 40, "1");
  const std::vector<BeatingDevice> devices = some_beating_devices(plan, 600, random);
  const std::vector<BeatingDevice> counted = left_in_steps(devices, {41, 3}, 8);
  const BeatingFold fold = folded_beating(plan, devices, 41, {8, 3});
  const auto active =
      estimate_active(plan, fold.sums, fold.presence, {35, 3}, EstimatorKind::kOnline, 34);
  for (Period t = 1; t <= 34; ++t) {
    expect_same(active[t - 1].at.estimate, from_those(plan, devices, counted, t, t).estimate);
    EXPECT_EQ(active[t - 1].devices, active[t - 1].reports) << t;
  }
}

// Who is late, but not gone, holds what it held when it was last heard: what the others changed
// since then is added to a count of all of them.
TEST(ActiveViews, WhoIsLateHoldsWhatItHeld) {
  std::mt19937_64 random(22);
  for (const Plan& plan : beating_plans()) {
    SCOPED_TRACE(name_of(plan.protocol));
    const Period d = plan.num_periods, current = d + 1, gone_after = 6;
    const std::vector<BeatingDevice> devices = some_beating_devices(plan, 900, random);
    // Those who are late leave in the middle of a step, of which others are gone.
    const Period step = plan.protocol == Protocol::kHybrid ? 8 : 1;
    const std::vector<BeatingDevice> as_counted =
        left_in_steps(devices, {current, gone_after}, step);
    const BeatingFold fold = folded_beating(plan, devices, current, {step, gone_after});
    const auto active = estimate_active(plan, fold.sums, fold.presence, {current, gone_after},
                                        EstimatorKind::kOnline, d);
    for (Period t = current - gone_after + 1; t < d; ++t) {
      double expected = from_those(plan, devices, as_counted, t, t).estimate;
      for (Period left = current - gone_after + 1; left <= t; ++left) {
        expected += from_those(plan, devices, as_counted, left - 1, left - 1).estimate -
                    from_those(plan, devices, as_counted, left, left - 1).estimate;
      }
      expect_same(active[t - 1].at.estimate, expected);
      const auto counted = static_cast<std::uint64_t>(
          std::count_if(devices.begin(), devices.end(), [&](const BeatingDevice& device) {
            const auto& [client, view, joined, start] = device.enrolment;
            return joined <= t && device.next > joined && device.next + gone_after > current;
          }));
      EXPECT_EQ(active[t - 1].devices, counted) << t;
      EXPECT_GT(active[t - 1].at.stddev, 0);
    }
  }
}

TEST(ActiveViews, AreAllWhereNobodyLeft) {
  std::mt19937_64 random(23);
  for (const Plan& plan : beating_plans()) {
    const Period d = plan.num_periods;
    std::vector<BeatingDevice> devices = some_beating_devices(plan, 400, random);
    std::erase_if(devices, [&](const BeatingDevice& device) { return device.next <= d; });
    const BeatingFold fold = folded_beating(plan, devices, d + 1);
    for (const EstimatorKind kind :
         {EstimatorKind::kOnline, EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
      const auto all = estimate(plan, fold.sums, kind, d);
      const auto active = estimate_active(plan, fold.sums, fold.presence, {d + 1, 3}, kind, d);
      for (Period t = 1; t <= d; ++t) {
        expect_same(active[t - 1].at.estimate, all[t - 1].estimate);
        expect_same(active[t - 1].at.stddev, all[t - 1].stddev);
      }
    }
  }
}

// The history of those active now is that of a fold that never heard of the others.
TEST(ActiveViews, HindsightAndTrendAreTheHistoryOfThoseActiveNow) {
  std::mt19937_64 random(24);
  for (const Plan& plan : beating_plans()) {
    const Period d = plan.num_periods;
    const std::vector<BeatingDevice> devices = some_beating_devices(plan, 400, random);
    const BeatingFold fold = folded_beating(plan, devices, d + 1, {d == 40 ? 16U : 1U, 3});
    std::vector<BeatingDevice> now = devices;
    std::erase_if(now, [&](const BeatingDevice& device) { return device.next + 3 <= d + 1; });
    const BeatingFold only = folded_beating(plan, now, d + 1);
    for (const EstimatorKind kind : {EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
      const auto expected = estimate(plan, only.sums, kind, d);
      const auto active = estimate_active(plan, fold.sums, fold.presence, {d + 1, 3}, kind, d);
      for (Period t = 1; t <= d; ++t) {
        expect_same(active[t - 1].at.estimate, expected[t - 1].estimate);
        expect_same(active[t - 1].at.stddev, expected[t - 1].stddev);
        const auto told = std::count_if(now.begin(), now.end(), [&](const BeatingDevice& device) {
          return device.enrolment.period <= t && device.next > t;
        });
        EXPECT_EQ(active[t - 1].reports, static_cast<std::uint64_t>(told)) << t;
      }
    }
  }
}

TEST(ActiveViews, PresenceTakesOutWhatItPutIn) {
  std::mt19937_64 random(25);
  for (const Plan& plan : beating_plans()) {
    const std::vector<BeatingDevice> devices = some_beating_devices(plan, 100, random);
    const std::vector<BeatingDevice> half(devices.begin(), devices.begin() + 50);
    const std::vector<BeatingDevice> others(devices.begin() + 50, devices.end());
    const LeavingRule rule{4, 3};
    Presence both = folded_beating(plan, half, 30, rule).presence;
    both.merge(folded_beating(plan, others, 30, rule).presence);
    EXPECT_EQ(both, folded_beating(plan, devices, 30, rule).presence);
    EXPECT_FALSE(both == Presence(plan));
    EXPECT_EQ(without_rows(folded_beating(plan, devices, 99).sums,
                           folded_beating(plan, devices, 99, rule).presence, 99)
                  .enrolled_by_period(),
              [&] {
                std::vector<BeatingDevice> stayed = devices;
                std::erase_if(stayed, [&](const BeatingDevice& device) {
                  return device.next <= plan.num_periods;
                });
                return folded_beating(plan, stayed, 99).sums.enrolled_by_period();
              }());
  }
}

TEST(ActiveViews, NeedHeartbeatsThatAreOfUse) {
  Plan plan = beating_plan(Protocol::kHybrid, 64, "1");
  EXPECT_TRUE(validate(plan));
  EXPECT_TRUE(shows_who_is_active(plan));
  plan.heartbeats = false;
  EXPECT_NE(shows_who_is_active(plan).error().message.find("expected heartbeats"),
            std::string::npos);
  EXPECT_FALSE(validate(beating_plan(Protocol::kInnovation, 64, "1")));
  EXPECT_TRUE(validate(beating_plan(Protocol::kOptimal, kMaxHeartbeatPeriods, "1")));
  EXPECT_FALSE(validate(beating_plan(Protocol::kOptimal, kMaxHeartbeatPeriods + 1, "1")));
}

}  // namespace
}  // namespace futurerand
