#include "futurerand/estimator/presence/device_estimate.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::clipped_psi;
using test::has_zeros;
using test::psi_by_definition;
using test::TestBits;
using test::TestDevice;

Plan estimated_plan(Period periods, const char* epsilon) {
  return *make_plan(Protocol::kInnovation, periods, 2, *Epsilon::parse(epsilon));
}

// Devices of which some send one sign nearly always, so that they are clipped.
TestDevice drawn_device(const Plan& plan, std::mt19937_64& random, bool minus) {
  const Period d = plan.num_periods;
  const auto joined = static_cast<Period>(1 + random() % std::min<Period>(20, d));
  TestDevice device{joined, d + 1, std::vector<int>(d)};
  const bool fair = random() % 8 == 0;
  for (Period t = joined; t <= d; ++t) {
    const bool other = fair ? random() % 2 == 0 : random() % 32 == 0;
    device.signs[t - 1] = other == minus ? 1 : -1;
    if (has_zeros(plan) && random() % 3 == 0) device.signs[t - 1] = 0;
  }
  return device;
}

TEST(DeviceEstimate, IsThatOfTheDefinition) {
  std::mt19937_64 random(21);
  constexpr double kError = 0x1p-20;
  for (const Plan& plan : {estimated_plan(3, "1"), estimated_plan(64, "1"),
                           estimated_plan(200, "2"), estimated_plan(130, "6")}) {
    const ContributionCap cap = *contribution_cap(plan);
    const auto plain = DeviceEstimate::of(plan, false), capped = DeviceEstimate::of(plan, true);
    EXPECT_FALSE(plain->is_capped());
    EXPECT_TRUE(capped->is_capped());
    int clipped = 0;
    for (int i = 0; i < 100; ++i) {
      const TestDevice device = drawn_device(plan, random, i % 2 == 0);
      const TestBits bits(device, has_zeros(plan));
      for (Period t = device.joined; t <= plan.num_periods; ++t) {
        // Bits after t do not matter.
        const Transcript transcript = bits.transcript.before(t + 1);
        const double psi = psi_by_definition(plan, device, t);
        EXPECT_NEAR(plain->devices(plain->at(transcript, t).units), psi, kError) << t;
        EXPECT_FALSE(plain->at(transcript, t).clipped);
        const DeviceEstimate::Value value = capped->at(transcript, t);
        const double expected = clipped_psi(plan, cap, device, t);
        EXPECT_NEAR(capped->devices(value.units), expected, kError) << t;
        EXPECT_EQ(value.clipped, std::abs(expected - psi) > kError) << t;
        EXPECT_LE(std::abs(plain->devices(plain->at(transcript, t).units)), plain->most(t));
        EXPECT_LE(std::abs(capped->devices(value.units)), capped->most(t));
        clipped += value.clipped ? 1 : 0;
      }
    }
    EXPECT_EQ(clipped > 100, plan.num_periods > 3) << plan.num_periods;
  }
}

// The sum of 2^30 devices fits into 64 bits.
TEST(DeviceEstimate, StaysBelowTwoToTheThirtyThird) {
  for (const char* epsilon : {"0.001", "1", "16"}) {
    const Plan plan = estimated_plan(300, epsilon);
    const auto estimate = DeviceEstimate::of(plan, false);
    for (const int sign : {-1, 1}) {
      const TestDevice device{1, 301, std::vector<int>(300, sign)};
      const TestBits bits(device, has_zeros(plan));
      const std::int64_t units = estimate->at(bits.transcript, 300).units;
      EXPECT_LT(std::abs(units), std::int64_t{1} << 33);
      EXPECT_NEAR(estimate->devices(units) / psi_by_definition(plan, device, 300), 1, 1e-9);
    }
    const TestDevice loudest{1, 301, std::vector<int>(300, 1)};
    const TestBits bits(loudest, has_zeros(plan));
    EXPECT_GE(estimate->at(bits.transcript, 300).units, std::int64_t{1} << 32);
    EXPECT_LT(estimate->variance(300), std::int64_t{1} << 33);
    EXPECT_GE(estimate->variance(300), std::int64_t{1} << 32);
  }
}

TEST(DeviceEstimate, HasTheVarianceOfFairSigns) {
  const Plan plan = estimated_plan(90, "1");
  const auto estimate = DeviceEstimate::of(plan, true);
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const std::vector<double> r = filter.response(90);
  double variance = 0;
  for (Period age = 1; age <= 90; ++age) {
    variance += r[age - 1] * r[age - 1] / (filter.kappa * filter.kappa);
    EXPECT_NEAR(estimate->squared_devices(estimate->variance(age)), variance, 1e-6);
    EXPECT_NEAR(estimate->weights()[age - 1], r[age - 1] / filter.kappa, 1e-12);
  }
}

TEST(DeviceEstimate, IsMadeOnceForAPlan) {
  const auto one = DeviceEstimate::of(estimated_plan(30, "1"), true);
  EXPECT_EQ(one, DeviceEstimate::of(estimated_plan(30, "1"), true));
  EXPECT_NE(one, DeviceEstimate::of(estimated_plan(30, "1"), false));
  EXPECT_NE(one, DeviceEstimate::of(estimated_plan(31, "1"), true));
  EXPECT_NE(one, DeviceEstimate::of(estimated_plan(30, "2"), true));
  EXPECT_EQ(DeviceEstimate::of(*make_plan(Protocol::kOptimal, 30, 2, *Epsilon::parse("1")), true),
            nullptr);
}

}  // namespace
}  // namespace futurerand
