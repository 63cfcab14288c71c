#include "futurerand/estimator/pulse_estimator.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

constexpr Period kPulsePeriods = 40;

// Devices that join in one period and enter in another, and which part of their reports arrives.
struct PulseGroup {
  Period joined;
  Period entry;
  double devices;
};

using Arrival = std::function<double(std::uint32_t view, Period t)>;

// Sums as they are on average, by the definition: a pulse is likelier in the window after entry.
Sums mean_sums(const Plan& plan, const std::vector<PulseGroup>& groups, const Arrival& arrives) {
  Sums sums(plan);
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const auto& law = std::get<PulseLaw>(plan.views[v].law);
    const PulseMoments moments(law);
    for (const PulseGroup& group : groups) {
      const double all = group.devices * static_cast<double>(plan.views[v].weight) /
                         static_cast<double>(plan.total_weight());
      sums.enrol(v, group.joined, 0, static_cast<std::uint64_t>(std::llround(all)));
      for (Period t = group.joined; t <= plan.num_periods; ++t) {
        const bool inside = group.entry <= t && t < group.entry + law.window;
        const double reports = all * arrives(v, t);
        const double pulses = reports * (inside ? moments.inside : moments.outside);
        sums.add(v, t, std::llround(2 * pulses - reports),
                 static_cast<std::uint64_t>(std::llround(reports)));
      }
    }
  }
  return sums;
}

void expect_unbiased(const std::vector<PulseGroup>& groups, const Arrival& arrives) {
  const Plan plan = *make_plan(Protocol::kPulse, kPulsePeriods, 1, *Epsilon::parse("2"));
  const Sums sums = mean_sums(plan, groups, arrives);
  PulseEstimator estimator(plan);
  for (const PeriodEstimate& at : run_online(estimator, sums, kPulsePeriods)) {
    double truth = 0, devices = 0;
    for (const PulseGroup& group : groups) {
      if (group.entry <= at.period) truth += group.devices;
      if (group.joined <= at.period) devices += group.devices;
    }
    EXPECT_NEAR(at.estimate, truth, 1e-6 * devices) << at.period;
    EXPECT_EQ(at.stddev > 0, devices > 0) << at.period;
  }
}

const std::vector<PulseGroup> kJoinedLate = {
    {3, 5, 1e9}, {3, 99, 2e9}, {11, 11, 1e9}, {20, 31, 3e9}};

TEST(PulseEstimator, IsUnbiasedForDevicesThatJoinLate) {
  expect_unbiased({{1, 1, 1e9}, {1, 7, 1e9}, {1, 99, 1e9}}, [](auto, auto) { return 1.0; });
  expect_unbiased(kJoinedLate, [](auto, auto) { return 1.0; });
}

TEST(PulseEstimator, IsUnbiasedIfReportsAreLost) {
  expect_unbiased(kJoinedLate, [](std::uint32_t v, Period t) { return 0.2 + (v + t) % 3 * 0.3; });
  // A class is missing for a while, or altogether.
  expect_unbiased(kJoinedLate, [](std::uint32_t v, Period t) { return v == t % 3 ? 0.0 : 1.0; });
  expect_unbiased(kJoinedLate, [](std::uint32_t v, Period) { return v == 0 ? 0.0 : 1.0; });
  expect_unbiased(kJoinedLate, [](std::uint32_t v, Period) { return v == 1 ? 1.0 : 0.0; });
}

TEST(PulseEstimator, KnowsNothingOfAPeriodWithoutReports) {
  const Plan plan = *make_plan(Protocol::kPulse, kPulsePeriods, 1, *Epsilon::parse("2"));
  const Sums sums = mean_sums(plan, {{1, 5, 1e9}, {1, 99, 1e9}},
                              [](auto, Period t) { return t == 9 ? 0.0 : 1.0; });
  PulseEstimator estimator(plan);
  for (const PeriodEstimate& at : run_online(estimator, sums, kPulsePeriods)) {
    EXPECT_EQ(std::isfinite(at.estimate), at.period != 9) << at.period;
    if (at.period == 9) continue;
    EXPECT_NEAR(at.estimate, at.period < 5 ? 0 : 1e9, 1e4) << at.period;
  }
}

}  // namespace
}  // namespace futurerand
