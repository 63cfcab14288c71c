#include "futurerand/estimator/robustness/self_check.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

// Every index of every view gets so many signs, plus with this probability.
Sums drawn_sums(const Plan& plan, double plus, std::mt19937_64& random, double late_plus = -1) {
  Sums sums(plan);
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    const Schedule schedule(plan.views[view], plan.num_periods);
    constexpr int kDevices = 200;
    if (schedule.draws_start()) {
      for (std::uint32_t s = 1; s <= schedule.stride; ++s) sums.enrol(view, 1, s, kDevices);
    } else {
      sums.enrol(view, 1, 0, kDevices);
    }
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const bool late = late_plus >= 0 && schedule.due(index) > plan.num_periods / 2;
      std::binomial_distribution<int> draw(kDevices, late ? late_plus : plus);
      sums.add(view, index, 2 * draw(random) - kDevices, kDevices);
    }
  }
  return sums;
}

Plan checked_plan(Protocol protocol) { return *make_plan(protocol, 64, 4, *Epsilon::parse("1")); }

TEST(SelfCheck, StaysSilentWhereReportsAgree) {
  // Fair coins: half of the devices hold 1.
  std::mt19937_64 random(21);
  int alarms = 0;
  const Plan plan = checked_plan(Protocol::kInnovation);
  for (int run = 0; run < 300; ++run) {
    alarms += contradicted_by(plan, drawn_sums(plan, 0.5, random), 64) != 0;
  }
  EXPECT_LE(alarms, 2);
}

TEST(SelfCheck, TellsWhatCannotBe) {
  std::mt19937_64 random(22);
  // All plus: ever more devices than there are. It is found as soon as it is beyond doubt.
  const Plan plan = checked_plan(Protocol::kInnovation);
  const Period found = contradicted_by(plan, drawn_sums(plan, 1, random), 64);
  EXPECT_GE(found, 1U);
  EXPECT_LE(found, 4U);
  EXPECT_NE(contradicted_by(plan, drawn_sums(plan, 0, random), 64), 0U);
  // Not before it is due.
  EXPECT_EQ(contradicted_by(plan, drawn_sums(plan, 0.5, random, 1), 32), 0U);
  EXPECT_GT(contradicted_by(plan, drawn_sums(plan, 0.5, random, 1), 64), 32U);
}

TEST(SelfCheck, TellsSnapshotsThatContradictChanges) {
  std::mt19937_64 random(23);
  const Plan plan = checked_plan(Protocol::kHybrid);
  Sums sums = drawn_sums(plan, 0.5, random);
  const std::uint32_t snapshots = sums.num_views() - 1;
  ASSERT_EQ(plan.views[snapshots].kind, ViewKind::kSnapshot);
  // Changes report no movement. Snapshots report ever more devices holding 1.
  for (std::uint32_t index = 1; index <= sums.num_indices(snapshots); ++index) {
    const IndexSum& at = sums.at(snapshots, index);
    const auto risen = static_cast<std::int64_t>(at.count * index / sums.num_indices(snapshots));
    sums.add(snapshots, index, {risen - at.sum, 0, 0});
  }
  EXPECT_NE(contradicted_by(plan, sums, 64), 0U);
}

TEST(SelfCheck, LooksAtEstimatesOfChangingNumbersOfDevices) {
  const Plan plan = checked_plan(Protocol::kInnovation);
  const double none = std::nan("");
  EXPECT_EQ(impossible_by(plan, {{1, 50, 10}, {2, none, none}, {3, -20, 10}}, {100, 0, 100}), 0U);
  EXPECT_EQ(impossible_by(plan, {{1, 50, 10}, {2, 170, 10}}, {100, 200}), 0U);
  EXPECT_EQ(impossible_by(plan, {{1, 50, 10}, {2, 170, 10}}, {100, 100}), 2U);
  EXPECT_EQ(impossible_by(plan, {{1, -70, 10}}, {100}), 1U);
}

}  // namespace
}  // namespace futurerand
