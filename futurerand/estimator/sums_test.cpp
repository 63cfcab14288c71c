#include "futurerand/estimator/sums.hpp"

#include <algorithm>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

Plan hybrid(Period num_periods) {
  return *make_plan(Protocol::kHybrid, num_periods, 4, *Epsilon::parse("1"));
}

TEST(Sums, FoldingInAnyOrderAndInPartsIsFoldingOnce) {
  const Plan plan = hybrid(1024);
  std::mt19937_64 random(1);
  // (enrolment or report, view, period or index, sum, count)
  std::vector<std::tuple<bool, std::uint32_t, std::uint32_t, std::int64_t, std::uint64_t>> events;
  for (int i = 0; i < 2000; ++i) {
    const auto view = static_cast<std::uint32_t>(random() % plan.views.size());
    const auto index =
        static_cast<std::uint32_t>(random() % plan.views[view].num_indices(plan.num_periods)) + 1;
    const std::uint64_t count = random() % 9;
    events.emplace_back(random() % 2 == 0, view, index, static_cast<std::int64_t>(random() % 5) - 2,
                        count);
  }
  const auto fold = [&](std::size_t first, std::size_t last) {
    Sums sums(plan);
    for (std::size_t i = first; i < last; ++i) {
      const auto& [enrolment, view, at, sum, count] = events[i];
      const bool snapshot = plan.views[view].kind == ViewKind::kSnapshot;
      if (enrolment) {
        sums.enrol(view, at, snapshot ? at : 0, count);
      } else {
        sums.add(view, at, sum, count);
      }
    }
    return sums;
  };
  const Sums once = fold(0, events.size());
  std::shuffle(events.begin(), events.end(), random);
  EXPECT_EQ(fold(0, events.size()), once);
  Sums merged = fold(700, events.size());
  merged.merge(fold(0, 700));
  EXPECT_EQ(merged, once);
}

TEST(Sums, CountsWhoIsEnrolledAndWhatIsOwed) {
  const Plan plan = hybrid(1024);  // changes at orders 0, 1, 2 and snapshots every 4 periods
  ASSERT_EQ(plan.views.size(), 4U);
  ASSERT_EQ(plan.views[3].kind, ViewKind::kSnapshot);
  Sums sums(plan);
  sums.enrol(0, 1, 0, 10);
  sums.enrol(2, 3, 0, 5);
  sums.enrol(3, 6, 2, 7);  // drew period 8
  sums.enrol(3, 6, 1, 9);  // drew period 4, before it joined: never reports
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  EXPECT_EQ(enrolled[0], 10U);
  EXPECT_EQ(enrolled[2], 15U);
  EXPECT_EQ(enrolled[1023], 31U);
  EXPECT_EQ(sums.expected_reports(2)[0], 5U);  // periods 1..4: joined in time for its end
  EXPECT_EQ(sums.expected_reports(0)[0], 10U);
  EXPECT_EQ(sums.snapshot_devices(3, 1), 0U);
  EXPECT_EQ(sums.snapshot_devices(3, 2), 7U);
  EXPECT_EQ(sums.enrolled_in(3, 6), 16U);
}

}  // namespace
}  // namespace futurerand
