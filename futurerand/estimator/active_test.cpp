#include "futurerand/estimator/active.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "futurerand/estimator/enrolled.hpp"
#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::add_adversaries;
using test::clipped_psi;
using test::folded;
using test::has_zeros;
using test::innovation_plan;
using test::psi_by_definition;
using test::some_devices;
using test::sparse_plan;
using test::TestDevice;
using test::TestFold;

// Drops the reports not yet due during `current`.
std::vector<TestDevice> up_to_clock(std::vector<TestDevice> devices, Period current) {
  for (TestDevice& device : devices) device.next = std::min(device.next, current);
  std::erase_if(devices, [&](const TestDevice& device) { return device.joined >= current; });
  return devices;
}

// The definition: each active device of a period, by its own reports.
TEST(ActiveEstimate, IsTheSumOfDeviceEstimates) {
  std::mt19937_64 random(11);
  for (const Plan& plan :
       {innovation_plan(5), innovation_plan(30), innovation_plan(70), sparse_plan(150)}) {
    const Period d = plan.num_periods;
    const ContributionCap cap = *contribution_cap(plan);
    std::vector<TestDevice> devices = some_devices(plan, 200, random);
    add_adversaries(plan, devices);
    double largest = 0;
    for (const bool capped : {false, true}) {
      for (const InactiveRule& rule :
           {InactiveRule{d + 1, 2}, {d + 1, 3}, {d + 1, 64}, {d - 2, 2}, {d / 2 + 1, 5}}) {
        const std::vector<TestDevice> now = up_to_clock(devices, rule.current);
        const TestFold fold = folded(plan, now, capped);
        const auto active = estimate_active(plan, fold.sums, fold.presence, rule,
                                            EstimatorKind::kOnline, rule.current - 1);
        ASSERT_EQ(active.size(), rule.current - 1);
        for (Period t = 1; t < rule.current; ++t) {
          double count = 0, raw = 0, variance = 0;
          std::uint64_t members = 0, reports = 0;
          for (const TestDevice& device : now) {
            if (device.joined > t || device.next == device.joined) continue;
            const bool reported = device.next > t;
            if (!reported && device.next + rule.inactive_after <= rule.current) continue;
            const Period at = reported ? t : device.next - 1;
            ++members;
            reports += reported ? 1 : 0;
            const double psi = psi_by_definition(plan, device, at);
            count += capped ? clipped_psi(plan, cap, device, at) : psi;
            raw += psi;
            const DeviceEstimate& each = fold.presence.estimate();
            variance += each.squared_devices(each.variance(at + 1 - device.joined));
          }
          EXPECT_EQ(active[t - 1].devices, members);
          EXPECT_EQ(active[t - 1].reports, reports);
          EXPECT_EQ(active[t - 1].at.period, t);
          if (members == 0) {
            EXPECT_TRUE(std::isnan(active[t - 1].at.estimate));
            continue;
          }
          EXPECT_NEAR(active[t - 1].at.estimate, count, 1e-5) << t;
          largest = std::max(largest, std::abs(count - raw));
          if (!has_zeros(plan) && !capped) {
            EXPECT_NEAR(std::pow(active[t - 1].at.stddev, 2), variance, 1e-6 * variance) << t;
          }
        }
      }
    }
    if (d >= 70) {
      EXPECT_GT(largest, 1);  // there was something to clip
    }
  }
}

// The answer equals that of a fold without the departed devices. Its variance comes from the
// reports of the remaining devices alone.
TEST(ActiveEstimate, IsThatOfAFoldWithoutTheDeparted) {
  std::mt19937_64 random(15);
  for (const Plan& plan : {innovation_plan(40), sparse_plan(40)}) {
    const InactiveRule rule{36, 3};
    const std::vector<TestDevice> now = up_to_clock(some_devices(plan, 600, random), rule.current);
    const TestFold fold = folded(plan, now);
    const auto active =
        estimate_active(plan, fold.sums, fold.presence, rule, EstimatorKind::kOnline, 35);
    for (Period t = 1; t + rule.inactive_after <= rule.current; ++t) {
      std::vector<TestDevice> stayed = now;
      std::erase_if(stayed, [&](const TestDevice& device) { return device.next <= t; });
      const PeriodEstimate expected =
          estimate(plan, folded(plan, stayed).sums, EstimatorKind::kOnline, t).back();
      EXPECT_NEAR(active[t - 1].at.estimate, expected.estimate, 1e-5) << t;
      // How often reports are zero is taken from all devices, and they are few here.
      const double room = has_zeros(plan) ? 0.1 : 1e-6;
      EXPECT_NEAR(active[t - 1].at.stddev / expected.stddev, 1, room) << t;
    }
  }
}

TEST(ActiveEstimate, IsThatOfAllWhereNobodyLeft) {
  std::mt19937_64 random(12);
  for (const Plan& plan : {innovation_plan(40), sparse_plan(40)}) {
    std::vector<TestDevice> devices = some_devices(plan, 300, random);
    std::erase_if(devices, [](const TestDevice& device) { return device.next <= 40; });
    const TestFold fold = folded(plan, devices);
    for (const EstimatorKind kind : {EstimatorKind::kOnline, EstimatorKind::kHindsight}) {
      const auto all = estimate(plan, fold.sums, kind, 40);
      const auto active = estimate_active(plan, fold.sums, fold.presence, {41, 3}, kind, 40);
      for (Period t = 1; t <= 40; ++t) {
        EXPECT_NEAR(active[t - 1].at.estimate, all[t - 1].estimate, 1e-5);
        EXPECT_NEAR(active[t - 1].at.stddev, all[t - 1].stddev, 1e-6 * all[t - 1].stddev);
      }
    }
  }
}

// If the population stays from the first period on, the shares are the counts.
TEST(ActiveEstimate, TrendIsThatOfAllWhereNobodyJoinsOrLeaves) {
  std::mt19937_64 random(13);
  for (const Plan& plan : {innovation_plan(40), sparse_plan(40)}) {
    std::vector<TestDevice> devices = some_devices(plan, 300, random);
    for (TestDevice& device : devices) {
      for (Period t = 1; t <= 40; ++t) {
        int& sign = device.signs[t - 1];
        if (sign == 0 && !has_zeros(plan)) sign = random() % 2 == 0 ? 1 : -1;
      }
      device.joined = 1, device.next = 41;
    }
    const TestFold fold = folded(plan, devices);
    const auto all = estimate(plan, fold.sums, EstimatorKind::kTrend, 40);
    const auto active =
        estimate_active(plan, fold.sums, fold.presence, {41, 3}, EstimatorKind::kTrend, 40);
    const double room = has_zeros(plan) ? 0.1 : 1e-4;
    for (Period t = 1; t <= 40; ++t) {
      EXPECT_NEAR(active[t - 1].at.estimate, all[t - 1].estimate, room * all[t - 1].stddev);
      EXPECT_NEAR(active[t - 1].at.stddev / all[t - 1].stddev, 1, room);
    }
  }
}

TEST(ActiveEstimate, TrendIsOfThoseActiveInEachPeriod) {
  std::mt19937_64 random(14);
  const Plan plan = innovation_plan(60);
  const std::vector<TestDevice> devices = some_devices(plan, 2000, random);
  const TestFold fold = folded(plan, devices);
  const auto online =
      estimate_active(plan, fold.sums, fold.presence, {61, 3}, EstimatorKind::kOnline, 60);
  const auto trend =
      estimate_active(plan, fold.sums, fold.presence, {61, 3}, EstimatorKind::kTrend, 60);
  for (Period t = 1; t <= 60; ++t) {
    EXPECT_EQ(trend[t - 1].devices, online[t - 1].devices);
    EXPECT_EQ(trend[t - 1].reports, online[t - 1].reports);
    EXPECT_LT(trend[t - 1].at.stddev, 1.05 * online[t - 1].at.stddev) << t;
    EXPECT_NEAR(trend[t - 1].at.estimate, online[t - 1].at.estimate, 4 * online[t - 1].at.stddev);
  }
}

TEST(ActiveEstimate, AddsWhatTheCapMayCostToTheError) {
  std::mt19937_64 random(16);
  const Plan plan = innovation_plan(70);
  const ContributionCap cap = *contribution_cap(plan);
  std::vector<TestDevice> devices = some_devices(plan, 200, random);
  const TestFold with = folded(plan, devices, true), without = folded(plan, devices, false);
  for (Period t = 1; t <= 70; ++t) {
    const auto newest = [&](const TestFold& fold) {
      return estimate_active(plan, fold.sums, fold.presence, {t + 1, 2}, EstimatorKind::kOnline, t)
          .back();
    };
    const double bias =
        with.presence.estimate().bias(t) * static_cast<double>(newest(with).devices);
    EXPECT_GE(with.presence.estimate().bias(t), cap.bias[t - 1]);
    EXPECT_NEAR(std::pow(newest(with).at.stddev, 2),
                std::pow(newest(without).at.stddev, 2) + bias * bias, 1e-6);
  }
  EXPECT_GT(with.presence.estimate().bias(70), 0);
  EXPECT_EQ(without.presence.estimate().bias(70), 0);
}

// The report of period s has weight r(t-s) / kappa in the estimate of t, with r = 1 / (1 - phi).
// The figures come from an independent program with a law of its own, which has other gaps: 256
// periods, epsilon 1, everybody starts at 0.
TEST(ActiveEstimate, WindowsAreAsPreciseAsAnIndependentProgramSays) {
  static constexpr Period kDays = 256, kWindows[] = {1, 7, 16, 30, 64, 256};
  constexpr int kDevices = 50;
  struct Case {
    std::uint32_t changes;
    double stddevs[std::size(kWindows)];  // of one device
  };
  for (const Case& one :
       {Case{4, {9.1, 7.1, 6.1, 5.15, 3.9, 2.045}}, {1, {5.65, 4.8, 4.4, 4.05, 3.55, 2.195}}}) {
    const Plan plan =
        *make_plan(Protocol::kInnovation, kDays, one.changes, *Epsilon::parse("1"), Initial::kZero);
    ASSERT_FALSE(has_zeros(plan));
    const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
    const auto gap = [&](std::size_t i) { return static_cast<double>(levels[i].gap); };
    const double kappa = gap(0) + gap(levels.size() - 1);
    std::vector<double> r(kDays);
    for (std::size_t i = 0; i < kDays; ++i) {
      r[i] = i == 0 ? 1 : 0;
      for (std::size_t j = 1; j < levels.size() && j <= i; ++j) {
        r[i] += (gap(j - 1) - gap(j)) / kappa * r[i - j];
      }
    }
    const std::vector<TestDevice> devices(kDevices, {1, kDays + 1, std::vector<int>(kDays, 1)});
    const TestFold fold = folded(plan, devices);
    for (std::size_t i = 0; i < std::size(kWindows); ++i) {
      const Period window = kWindows[i];
      double variance = 0;
      for (Period s = 0; s < kDays; ++s) {
        double weight = 0;
        for (Period t = kDays - window; t < kDays; ++t) weight += t >= s ? r[t - s] : 0;
        variance += std::pow(weight / window * 0x1p40 / kappa, 2);
      }
      const auto pooled = estimate_active(plan, fold.sums, fold.presence, {kDays + 1, 3},
                                          EstimatorKind::kOnline, kDays, window);
      const double stddev = pooled.back().at.stddev / std::sqrt(kDevices);
      EXPECT_NEAR(stddev, std::sqrt(variance), 1e-9 * stddev) << one.changes << " " << window;
      EXPECT_NEAR(stddev / one.stddevs[i], 1, 0.08) << one.changes << " " << window;
    }
  }
}

TEST(ActiveEstimate, KnowsNothingOfNobody) {
  const Plan plan = innovation_plan(8);
  std::vector<TestDevice> devices = {{3, 5, {0, 0, 1, -1, 0, 0, 0, 0}}};
  const TestFold fold = folded(plan, devices);
  for (const EstimatorKind kind :
       {EstimatorKind::kOnline, EstimatorKind::kHindsight, EstimatorKind::kTrend}) {
    const auto active = estimate_active(plan, fold.sums, fold.presence, {9, 3}, kind, 8);
    for (Period t = 1; t <= 8; ++t) {
      EXPECT_EQ(std::isfinite(active[t - 1].at.estimate), t == 3 || t == 4) << t;
    }
  }
}

// SplitMix64, the generator behind tests/data/departing_devices.csv.
class Mix {
 public:
  explicit Mix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// 3,000 devices: a third joins late and 40% leave. One in 97 sends only plus.
std::vector<TestDevice> departing_devices(bool sparse) {
  Mix random(sparse ? 4 : 1);
  std::vector<TestDevice> devices;
  for (int i = 0; i < 3000; ++i) {
    TestDevice device{1, 65, std::vector<int>(64)};
    if (i % 3 == 0) device.joined = static_cast<Period>(1 + random.next() % 40);
    if (random.next() % 10 < 4) {
      device.next = static_cast<Period>(device.joined + random.next() % (65 - device.joined));
    }
    for (Period t = device.joined; t < device.next; ++t) {
      const std::uint64_t word = random.next();
      int& sign = device.signs[t - 1];
      if (sparse) {
        sign = word % 8 == 0 ? 1 : word % 8 == 1 ? -1 : 0;
      } else {
        sign = word % 2 == 0 ? 1 : -1;
      }
      if (i % 97 == 0) sign = 1;
    }
    devices.push_back(device);
  }
  return devices;
}

// The plans of those figures, with their integers.
Plan departing_plan(bool sparse) {
  const WeightedThresholdLaw signs{64,
                                   {{3, 583, 184675571523},
                                    {3, 233, 70709449777},
                                    {3, 146, 53085011654},
                                    {55, 117, 35164486917}},
                                   605,
                                   10849215167273052676U};
  const WeightedThresholdLaw symbols{64,
                                     {{1, 613, 481948988317},
                                      {1, 329, 170100009288},
                                      {1, 248, 128356735834},
                                      {1, 205, 99496445060},
                                      {1, 177, 85326488957},
                                      {1, 157, 75054448468},
                                      {1, 142, 64775324096},
                                      {1, 129, 59778117112},
                                      {1, 119, 55515494672},
                                      {1, 110, 52085099075},
                                      {1, 103, 47694915756},
                                      {1, 96, 45097893593},
                                      {1, 91, 41962599122},
                                      {51, 88, 40826584256}},
                                     597,
                                     14176744677044238665U,
                                     8192};
  return {Protocol::kInnovation,
          64,
          sparse ? 1U : 3U,
          *Epsilon::parse(sparse ? "4" : "1"),
          {{ViewKind::kInnovation, 0, 1, sparse ? symbols : signs}}};
}

// The figures of another estimator. It kept sums by period of leaving and subtracted whole cohorts.
// Both agree until late devices become inactive. The other one scaled the newest period.
TEST(ActiveEstimate, AgreesWithFiguresOfSumsByPeriodOfLeaving) {
  std::ifstream file(std::string(FUTURERAND_SOURCE_DIR) + "/tests/data/departing_devices.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  int rows = 0;
  std::map<std::pair<std::string, bool>, TestFold> folds;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 8U);
    const bool sparse = cells[0] == "sparse", capped = cells[1] == "1";
    const Plan plan = departing_plan(sparse);
    ASSERT_EQ(has_zeros(plan), sparse);
    const auto key = std::pair(cells[0], capped);
    if (!folds.contains(key)) folds.emplace(key, folded(plan, departing_devices(sparse), capped));
    const TestFold& fold = folds.at(key);
    const auto t = static_cast<Period>(std::stoul(cells[3]));
    if (t > (cells[2] == "active" ? 62U : 63U)) continue;
    const PeriodEstimate found =
        cells[2] == "active"
            ? estimate_active(plan, fold.sums, fold.presence, {65, 3}, EstimatorKind::kOnline,
                              64)[t - 1]
                  .at
            : estimate_enrolled(plan, fold.sums, &fold.presence, EstimatorKind::kOnline, 64)[t - 1];
    // Each device is rounded here, by less than 2^-28. The old cap was rounded to a millionth of a
    // device for each report.
    const double expected = std::stod(cells[4]);
    const double room = std::stod(cells[6]) * 0x1p-28;
    EXPECT_NEAR(found.estimate, expected, capped ? 2e-3 : room) << line;
    const double stddev = std::stod(cells[5]);
    EXPECT_NEAR(found.stddev, stddev, (sparse ? 1e-2 : 1e-6) * stddev) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 4 * (63 + 62));
}

}  // namespace
}  // namespace futurerand
