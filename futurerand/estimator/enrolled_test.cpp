#include "futurerand/estimator/enrolled.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/expected_sums.hpp"

namespace futurerand {
namespace {

constexpr Period kLived = 12;

// No fleet of signs can send exactly the mean reports of devices holding 1. But a fleet of only
// plus signs has the filter's own answer as its estimate, even after departures.
struct PlusFleet {
  Plan plan = *make_plan(Protocol::kInnovation, kLived, 2, *Epsilon::parse("1"));
  Sums sums{plan};
  Presence presence = *empty_presence(plan, false);
  std::vector<std::uint64_t> bits = {0};

  // Adds devices with this period of joining and this first missing period.
  void add(std::uint64_t devices, Period joined, Period next) {
    for (std::uint64_t i = 0; i < devices; ++i) {
      sums.enrol(0, joined, 0);
      for (Period t = joined; t < next; ++t) sums.add(0, t, 1, 1);
      const Transcript transcript{joined, next, bits.data(), nullptr};
      presence.change(transcript.before(joined), transcript);
    }
  }
  std::vector<PeriodEstimate> enrolled() const {
    return estimate_enrolled(plan, sums, &presence, EstimatorKind::kOnline, kLived);
  }
};

TEST(Enrolled, IsTheOldEstimateWhereNobodyLeaves) {
  PlusFleet fleet;
  fleet.add(30, 1, kLived + 1);
  fleet.add(20, 4, kLived + 1);
  const auto before = estimate(fleet.plan, fleet.sums, EstimatorKind::kOnline, kLived);
  const auto now = fleet.enrolled();
  ASSERT_EQ(now.size(), before.size());
  for (std::size_t t = 0; t < kLived; ++t) {
    EXPECT_NEAR(now[t].estimate, before[t].estimate, 1e-7 * before[t].estimate);
    EXPECT_NEAR(now[t].stddev, before[t].stddev, 1e-7 * before[t].stddev);
  }
}

// Forty devices join first. Thirty of them leave before ten newcomers join. The newcomers are
// counted by their own reports. With the ten remaining old devices they stand for the thirty. Their
// large first innovation is not multiplied as if the thirty had joined with them.
TEST(Enrolled, NewcomersStandForThemselves) {
  PlusFleet fleet;
  fleet.add(10, 1, kLived + 1);
  fleet.add(30, 1, 5);
  fleet.add(10, 8, kLived + 1);
  PlusFleet old, fresh;
  old.add(1, 1, kLived + 1);
  fresh.add(1, 8, kLived + 1);
  const auto of_old = old.enrolled(), of_fresh = fresh.enrolled(), all = fleet.enrolled();
  for (Period t = 8; t <= kLived; ++t) {
    const double there = 10 * of_old[t - 1].estimate + 10 * of_fresh[t - 1].estimate;
    EXPECT_NEAR(all[t - 1].estimate, 50.0 / 20 * there, 1e-7 * there) << t;
    const double error =
        std::hypot(std::sqrt(10) * of_old[t - 1].stddev, std::sqrt(10) * of_fresh[t - 1].stddev);
    EXPECT_NEAR(all[t - 1].stddev, 50.0 / 20 * error, 1e-7 * error) << t;
  }
  for (Period t = 5; t < 8; ++t) {
    EXPECT_NEAR(all[t - 1].estimate, 40 * of_old[t - 1].estimate, 1e-6) << t;
  }
}

TEST(Enrolled, WithoutPresenceIsTheEstimateOfSums) {
  const Plan plan = *make_plan(Protocol::kHybrid, 16, 2, *Epsilon::parse("1"));
  const Sums sums = steady_expected_sums(plan, 0.25);
  const auto enrolled = estimate_enrolled(plan, sums, nullptr, EstimatorKind::kOnline, 16);
  const auto plain = estimate(plan, sums, EstimatorKind::kOnline, 16);
  for (std::size_t t = 0; t < 16; ++t) EXPECT_EQ(enrolled[t].estimate, plain[t].estimate);
}

}  // namespace
}  // namespace futurerand
