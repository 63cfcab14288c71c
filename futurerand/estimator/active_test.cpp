#include "futurerand/estimator/active.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/test/innovation_devices.hpp"
#include "futurerand/estimator/transcript_cap.hpp"

namespace futurerand {
namespace {

using test::folded;
using test::innovation_plan;
using test::some_devices;
using test::sparse_innovation_plan;
using test::TestDevice;
using test::TestFold;

// What one device alone says that it held in period t: x_t = s_t / kappa + alpha / 2 + sum over j
// of phi_j x_(t-j), straight from the definition of the filter.
double told_value(const Plan& plan, const TestDevice& device, Period t) {
  const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
  const double kappa = static_cast<double>(levels.front().gap + levels.back().gap);
  std::vector<double> x(t + 1);
  for (Period s = device.joined; s <= t; ++s) {
    x[s] = device.signs[s - 1] * 0x1p40 / kappa + static_cast<double>(levels.back().gap) / kappa;
    for (std::size_t j = 1; j < levels.size() && j < s; ++j) {
      x[s] += static_cast<double>(levels[j - 1].gap - levels[j].gap) / kappa * x[s - j];
    }
  }
  return x[t];
}

TEST(ActiveEstimate, IsTheSumOfWhatThoseWhoWereThereTold) {
  std::mt19937_64 random(11);
  for (const Plan& plan :
       {innovation_plan(5), innovation_plan(30), innovation_plan(70), sparse_innovation_plan(40)}) {
    const Period d = plan.num_periods;
    const std::vector<TestDevice> devices = some_devices(plan, 200, random);
    for (const LeavingRule& leaving :
         {LeavingRule{1, 2}, {1, 3}, {1, 5}, {2, 3}, {4, 2}, {4, 5}, {16, 3}}) {
      const GoneRule rule{d + 1, leaving.gone_after};
      const TestFold fold = folded(plan, devices, rule.current, false, leaving);
      const auto active =
          estimate_active(plan, fold.sums, fold.presence, rule, EstimatorKind::kOnline, d);
      ASSERT_EQ(active.size(), d);
      // Of the newest period reports may be on their way: it is scaled, and not looked at here.
      for (Period t = 1; t < d; ++t) {
        double count = 0;
        std::uint64_t members = 0, reports = 0;
        for (const TestDevice& device : devices) {
          if (device.joined > t || device.next == device.joined) continue;
          const bool told = device.left(rule, leaving.step) > t;
          if (!told && device.is_gone(rule)) continue;
          ++members;
          reports += told ? 1 : 0;
          count += told_value(plan, device, told ? t : device.next - 1);
        }
        EXPECT_EQ(active[t - 1].devices, members);
        EXPECT_EQ(active[t - 1].reports, reports);
        if (members > 0) {
          EXPECT_NEAR(active[t - 1].at.estimate, count, 1e-6 * (1 + std::abs(count))) << t;
        }
      }
    }
  }
}

// Its variance too is that of the reports of those who count as there, and of nobody else's.
TEST(ActiveEstimate, IsThatOfAFoldThatNeverHeardOfThoseWhoLeft) {
  std::mt19937_64 random(15);
  const Plan plan = sparse_innovation_plan(40);
  const std::vector<TestDevice> devices = some_devices(plan, 300, random);
  for (const Period step : {1U, 2U, 8U}) {
    const GoneRule rule{36, 3};
    std::vector<TestDevice> now = devices;
    for (TestDevice& device : now) device.next = std::min(device.next, rule.current);
    std::erase_if(now, [&](const TestDevice& device) { return device.joined >= rule.current; });
    const TestFold fold = folded(plan, now, rule.current, false, {step, rule.gone_after});
    const auto active =
        estimate_active(plan, fold.sums, fold.presence, rule, EstimatorKind::kOnline, 35);
    for (Period t = 1; t + rule.gone_after <= rule.current; ++t) {
      std::vector<TestDevice> there = now;
      std::erase_if(there, [&](const TestDevice& device) { return device.left(rule, step) <= t; });
      const PeriodEstimate expected =
          estimate(plan, folded(plan, there, 0).sums, EstimatorKind::kOnline, t).back();
      EXPECT_NEAR(active[t - 1].at.estimate, expected.estimate, 1e-6) << step << ' ' << t;
      EXPECT_NEAR(active[t - 1].at.stddev, expected.stddev, 1e-6) << step << ' ' << t;
    }
  }
}

// What is said of a period beyond the limits that the cap has for a device of that age.
double excess_of(const TranscriptCap& cap, const TestDevice& device, Period t, double said) {
  const std::size_t age = t - device.joined;
  return std::max(0.0, said - cap.most[age]) - std::max(0.0, cap.least[age] - said);
}

// Against the definition of the cap, device by device: those who told the period, those who are
// late, and of the newest period those whose report of it is on its way.
TEST(ActiveEstimate, CountsNobodyBeyondTheLimits) {
  std::mt19937_64 random(14);
  for (const Plan& plan : {innovation_plan(70), sparse_innovation_plan(150)}) {
    const Period d = plan.num_periods;
    std::vector<TestDevice> devices = some_devices(plan, 150, random);
    for (std::size_t i = 0; i < devices.size(); i += 5) {  // liars
      TestDevice& device = devices[i];
      device.joined = 1 + static_cast<Period>(i % 4);
      if (device.next < d / 2) device.next = d - static_cast<Period>(i % 3);
      for (Period t = device.joined; t < device.next; ++t)
        device.signs[t - 1] = i % 3 == 0 ? -1 : 1;
    }
    const TranscriptCap cap = *transcript_cap(plan);
    for (const auto& [clock, step] :
         std::vector<std::pair<Period, Period>>{{d - 5, 1}, {d + 1, 1}, {d - 5, 4}, {d + 1, 32}}) {
      const Period current = clock;
      std::vector<TestDevice> now = devices;
      for (TestDevice& device : now) device.next = std::min(device.next, current);
      std::erase_if(now, [&](const TestDevice& device) { return device.joined >= current; });
      const GoneRule rule{current, 3};
      const LeavingRule leaving{step, rule.gone_after};
      const TestFold with = folded(plan, now, current, true, leaving),
                     without = folded(plan, now, current, false, leaving);
      const auto capped = estimate_active(plan, with.sums, with.presence, rule,
                                          EstimatorKind::kOnline, current - 1);
      const auto all = estimate_active(plan, without.sums, without.presence, rule,
                                       EstimatorKind::kOnline, current - 1);
      double largest = 0;
      for (Period t = 1; t < current; ++t) {
        double excess = 0;
        for (const TestDevice& device : now) {
          if (device.joined > t || device.next == device.joined) continue;
          if (device.left(rule, step) > t) {
            excess += excess_of(cap, device, t, told_value(plan, device, t));
          } else if (device.next == t && t == current - 1) {
            // Without its report, of which the part alpha / 2 is known.
            TestDevice silent = device;
            silent.signs[t - 1] = 0;
            excess += excess_of(cap, device, t, told_value(plan, silent, t));
          } else if (!device.is_gone(rule)) {
            excess +=
                excess_of(cap, device, device.next - 1, told_value(plan, device, device.next - 1));
          }
        }
        largest = std::max(largest, std::abs(excess));
        const double devices_then = static_cast<double>(capped[t - 1].devices);
        EXPECT_EQ(capped[t - 1].devices, all[t - 1].devices);
        if (devices_then == 0) continue;
        const double bias = with.presence.limits()->bias(t) * devices_then;
        EXPECT_GE(bias, cap.bias[t - 1] * devices_then);
        EXPECT_GT(bias, t > 60 ? 1e-4 : -1);
        EXPECT_NEAR(all[t - 1].at.estimate - capped[t - 1].at.estimate, excess, 0.02) << t;
        EXPECT_NEAR(std::pow(capped[t - 1].at.stddev, 2),
                    std::pow(all[t - 1].at.stddev, 2) + bias * bias, 1e-7);
      }
      EXPECT_GT(largest, 1);
    }
  }
}

// Of a cluster the earliest clock of a shard counts, while others have merged rows by theirs: who
// stands in them is gone, and the newest period is like any other of their step.
TEST(ActiveEstimate, TakesThoseInMergedRowsForGone) {
  std::mt19937_64 random(17);
  const Plan plan = sparse_innovation_plan(40);
  std::vector<TestDevice> devices = some_devices(plan, 300, random);
  for (std::size_t i = 0; i < devices.size(); i += 5) {  // liars, some of whom miss the newest
    devices[i] = {1, i % 2 == 0 ? 34U : 41U, std::vector<int>(40, 1)};
  }
  const GoneRule ahead{41, 3}, behind{35, 3};
  const TestFold fold = folded(plan, devices, ahead.current, true, {8, 3});
  const auto active =
      estimate_active(plan, fold.sums, fold.presence, behind, EstimatorKind::kOnline, 34);
  EXPECT_GT(fold.presence.excess_before(34), 0);
  const TranscriptCap cap = *transcript_cap(plan);
  for (Period t = 1; t <= 34; ++t) {
    double count = 0;
    std::uint64_t members = 0;
    for (const TestDevice& device : devices) {
      if (device.joined > t || device.left(ahead, 8) <= t) continue;
      ++members;
      const double said = told_value(plan, device, t);
      count += said - excess_of(cap, device, t, said);
    }
    EXPECT_EQ(active[t - 1].devices, members) << t;
    EXPECT_EQ(active[t - 1].reports, members) << t;
    EXPECT_NEAR(active[t - 1].at.estimate, count, 0.02) << t;
  }
}

TEST(ActiveEstimate, IsThatOfAllWhereNobodyLeft) {
  std::mt19937_64 random(12);
  for (const Plan& plan : {innovation_plan(40), sparse_innovation_plan(40)}) {
    std::vector<TestDevice> devices = some_devices(plan, 300, random);
    std::erase_if(devices, [](const TestDevice& device) { return device.next <= 40; });
    const TestFold fold = folded(plan, devices, 41);
    for (const EstimatorKind kind :
         {EstimatorKind::kOnline, EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
      const auto all = estimate(plan, fold.sums, kind, 40);
      const auto active = estimate_active(plan, fold.sums, fold.presence, {41, 3}, kind, 40);
      for (Period t = 1; t <= 40; ++t) {
        EXPECT_NEAR(active[t - 1].at.estimate, all[t - 1].estimate, 1e-6);
        EXPECT_NEAR(active[t - 1].at.stddev, all[t - 1].stddev, 1e-6);
      }
    }
  }
}

// The history of those active now is that of a fold that never heard of the others.
TEST(ActiveEstimate, HindsightAndTrendAreTheHistoryOfThoseActiveNow) {
  std::mt19937_64 random(13);
  const Plan plan = innovation_plan(40);
  const std::vector<TestDevice> devices = some_devices(plan, 300, random);
  std::vector<TestDevice> now = devices;
  std::erase_if(now,
                [](const TestDevice& device) { return 41 - device.next >= 3 && device.next < 41; });
  const TestFold only = folded(plan, now, 41);
  for (const Period step : {1U, 16U}) {
    const TestFold fold = folded(plan, devices, 41, false, {step, 3});
    for (const EstimatorKind kind : {EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
      const auto expected = estimate(plan, only.sums, kind, 40);
      const auto active = estimate_active(plan, fold.sums, fold.presence, {41, 3}, kind, 40);
      for (Period t = 1; t <= 40; ++t) {
        EXPECT_EQ(active[t - 1].at.estimate, expected[t - 1].estimate);
        EXPECT_EQ(active[t - 1].at.stddev, expected[t - 1].stddev);
      }
    }
  }
}

TEST(ActiveEstimate, ScalesTheNewestPeriodApartForNewcomers) {
  const Plan plan = innovation_plan(8);
  // Two old devices, of which one reported period 8; four newcomers, of which three did.
  std::vector<TestDevice> devices;
  for (int i = 0; i < 2; ++i) {
    devices.push_back({1, i == 0 ? 9U : 8U, {1, 1, 1, 1, 1, 1, 1, -1}});
  }
  for (int i = 0; i < 4; ++i) devices.push_back({8, i < 3 ? 9U : 8U, {0, 0, 0, 0, 0, 0, 0, 1}});
  const TestFold fold = folded(plan, devices, 9);
  const auto active =
      estimate_active(plan, fold.sums, fold.presence, {9, 3}, EstimatorKind::kOnline, 8);
  // As if the missing one of each kind had told what the others of its kind did.
  std::vector<TestDevice> all = devices;
  for (TestDevice& device : all) device.next = 9;
  double count = 0;
  for (const TestDevice& device : all) count += told_value(plan, device, 8);
  EXPECT_NEAR(active[7].at.estimate, count, 1e-9);
  EXPECT_EQ(active[7].devices, 6U);
  EXPECT_EQ(active[7].reports, 4U);
}

TEST(ActiveEstimate, KnowsNothingOfNobody) {
  const Plan plan = innovation_plan(8);
  std::vector<TestDevice> devices = {{3, 5, {0, 0, 1, -1, 0, 0, 0, 0}}};
  const TestFold fold = folded(plan, devices, 9);
  const auto active =
      estimate_active(plan, fold.sums, fold.presence, {9, 3}, EstimatorKind::kOnline, 8);
  for (Period t = 1; t <= 8; ++t) {
    EXPECT_EQ(std::isfinite(active[t - 1].at.estimate), t == 3 || t == 4) << t;
  }
}

}  // namespace
}  // namespace futurerand
