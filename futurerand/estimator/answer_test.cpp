#include "futurerand/estimator/answer.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/estimator/expected_sums.hpp"
#include "futurerand/estimator/robustness/influence.hpp"

namespace futurerand {
namespace {

constexpr Period kAnswerPeriods = 16;
constexpr Period kFirstJoined = 3;  // the first period with new devices

constexpr EstimatorKind kAnswerKinds[] = {EstimatorKind::kOnline, EstimatorKind::kHindsight,
                                          EstimatorKind::kTrend};

Plan answer_plan(Protocol protocol, const char* epsilon = "1") {
  return *make_plan(protocol, kAnswerPeriods, changes_for(protocol, 2), *Epsilon::parse(epsilon),
                    initial_for(protocol));
}

// The same number of devices joins each view, and each start of it, in each of two periods; a share
// of the reports of each index is plus.
Sums answer_sums(const Plan& plan, std::uint64_t devices, double plus = 0.5) {
  Sums sums(plan);
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const Schedule schedule(plan.views[view], plan.num_periods);
    for (const Period joined : {kFirstJoined, kFirstJoined + 3}) {
      const std::uint32_t starts = schedule.draws_start() ? schedule.stride : 1;
      for (std::uint32_t start = 1; start <= starts; ++start) {
        const std::uint32_t drawn = schedule.draws_start() ? start : 0;
        sums.enrol(view, joined, drawn, devices);
        const auto up = static_cast<std::int64_t>(std::lround(plus * static_cast<double>(devices)));
        for (std::uint32_t index = schedule.first_index(joined, drawn);
             index <= schedule.num_indices; index += schedule.stride) {
          sums.add(view, index, 2 * up - static_cast<std::int64_t>(devices), devices);
        }
      }
    }
  }
  return sums;
}

TEST(Answer, KnowsNothingOfPeriodsBeforeTheFirstDevice) {
  for (const Protocol protocol : kProtocols) {
    const Plan plan = answer_plan(protocol);
    const Sums sums = answer_sums(plan, 1000);
    for (const EstimatorKind kind : kAnswerKinds) {
      const Result<Answer> found = answer(plan, {sums, nullptr, kAnswerPeriods + 1}, {kind});
      ASSERT_TRUE(found);
      ASSERT_EQ(found->rows.size(), kAnswerPeriods);
      for (const AnswerRow& row : found->rows) {
        const bool known = row.period >= kFirstJoined;
        EXPECT_EQ(std::isfinite(row.estimate), known) << name_of(protocol) << ' ' << row.period;
        EXPECT_EQ(std::isfinite(row.band.lower), known);
        EXPECT_EQ(std::isfinite(row.share()), known);
        EXPECT_EQ(row.devices > 0, known);
      }
      EXPECT_EQ(found->note,
                "2 of 16 periods are unknown: too few devices had joined, or their reports are "
                "missing.");
    }
  }
}

TEST(Answer, SharesAreOfTheDevicesOfTheirPeriod) {
  const Plan plan = answer_plan(Protocol::kRepeated);
  const Sums sums = answer_sums(plan, 1000);
  const Answer found = *answer(plan, {sums, nullptr, kAnswerPeriods + 1}, {});
  for (const AnswerRow& row : found.rows) {
    if (row.period < kFirstJoined) continue;
    const double devices = row.period < kFirstJoined + 3 ? 1000 : 2000;
    EXPECT_EQ(row.devices, devices);
    // As many plus as minus: half of them hold 1.
    EXPECT_NEAR(row.share(), 0.5, 1e-9);
    EXPECT_DOUBLE_EQ(row.share_band().upper * devices, row.band.upper);
    EXPECT_EQ(row.reports, row.expected);
  }
  EXPECT_EQ(found.devices, 2000U);
}

TEST(Answer, RaisesOneAlarmWhateverTheEstimator) {
  for (const Protocol protocol : {Protocol::kInnovation, Protocol::kHybrid, Protocol::kWarner}) {
    const Plan plan = answer_plan(protocol, "4");
    const Sums lies = answer_sums(plan, 100'000, 1.0), honest = steady_expected_sums(plan, 0.25);
    for (const EstimatorKind kind : kAnswerKinds) {
      const Answer raised = *answer(plan, {lies, nullptr, kAnswerPeriods + 1}, {kind});
      EXPECT_TRUE(raised.alarm) << name_of(protocol);
      EXPECT_EQ(raised.alarm.text,
                answer(plan, {lies, nullptr, kAnswerPeriods + 1}, {})->alarm.text);
    }
    EXPECT_FALSE(answer(plan, {honest, nullptr, kAnswerPeriods + 1}, {})->alarm)
        << name_of(protocol);
  }
}

TEST(Answer, LeavesRowsOutWithoutChangingTheOthers) {
  const Plan plan = answer_plan(Protocol::kHybrid);
  const Sums sums = answer_sums(plan, 1000);
  const Folded folded{sums, nullptr, 12};
  const Answer all = *answer(plan, folded, {.simultaneous = true});
  const Answer some = *answer(plan, folded, {.simultaneous = true, .from = 5, .to = 7});
  ASSERT_EQ(all.rows.size(), 11U);
  ASSERT_EQ(some.rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(some.rows[i].period, 5 + i);
    EXPECT_EQ(some.rows[i].estimate, all.rows[4 + i].estimate);
    EXPECT_EQ(some.rows[i].band.upper, all.rows[4 + i].band.upper);
  }
  EXPECT_EQ(some.one_device_moves, all.one_device_moves);
  EXPECT_EQ(some.note, "");
}

TEST(Answer, SaysWhatOneDeviceMoves) {
  for (const Protocol protocol : kProtocols) {
    const Plan plan = answer_plan(protocol);
    const Sums sums = answer_sums(plan, 1000);
    const Folded folded{sums, nullptr, kAnswerPeriods + 1};
    const double moves = answer(plan, folded, {})->one_device_moves;
    EXPECT_EQ(moves, influence_on(plan, sums, kAnswerPeriods).most.back()) << name_of(protocol);
    EXPECT_TRUE(std::isnan(answer(plan, folded, {.influence = false})->one_device_moves));
  }
}

TEST(Answer, WarnsOfNoiseOnlyWhereItIsLarge) {
  const Plan plan = answer_plan(Protocol::kRepeated);
  const Sums few = answer_sums(plan, 10), many = answer_sums(plan, 10'000'000);
  const Answer noisy = *answer(plan, {few, nullptr, kAnswerPeriods + 1}, {});
  ASSERT_TRUE(noisy.too_noisy);
  EXPECT_GE(*noisy.too_noisy, 10);
  EXPECT_FALSE(answer(plan, {many, nullptr, kAnswerPeriods + 1}, {})->too_noisy);
}

TEST(Answer, IsEmptyBeforeTheFirstPeriodIsOver) {
  const Plan plan = answer_plan(Protocol::kHybrid);
  const Sums nobody(plan), sums = answer_sums(plan, 10);
  for (const Period current : {0U, 1U}) {
    const Answer found = *answer(plan, {sums, nullptr, current}, {});
    EXPECT_TRUE(found.rows.empty());
    EXPECT_EQ(found.note, "The first period is not over yet, so nothing is known.");
    EXPECT_FALSE(found.alarm);
    EXPECT_FALSE(found.too_noisy);
    EXPECT_TRUE(std::isnan(found.one_device_moves));
  }
  EXPECT_EQ(answer(plan, {nobody, nullptr, 5}, {})->note,
            "No device has joined yet, so nothing is known.");
}

TEST(Answer, RefusesWhatCannotBeAnswered) {
  const Plan plan = answer_plan(Protocol::kInnovation), rare = answer_plan(Protocol::kHybrid);
  const Sums sums(plan), rare_sums(rare);
  for (const double level : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(answer(plan, {sums, nullptr, 5}, {.level = level})) << level;
  }
  EXPECT_FALSE(answer(plan, {sums, nullptr, 5}, {.estimand = Estimand::kActive}));
  EXPECT_FALSE(answer(rare, {rare_sums, nullptr, 5}, {.estimand = Estimand::kActive}));
  EXPECT_TRUE(answer(plan, {sums, nullptr, 5}, {.estimand = Estimand::kEnrolled}));
}

}  // namespace
}  // namespace futurerand
