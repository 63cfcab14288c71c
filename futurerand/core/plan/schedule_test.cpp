#include "futurerand/core/plan/schedule.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/plan/test/changes_for.hpp"

namespace futurerand {
namespace {

// Returns the indices that one device reports, from the definitions: those of 1..num_indices that
// end in or after the period of joining and, in a snapshot view, lie whole strides after the drawn
// one. A view that reports once has the period of joining alone.
std::vector<std::uint32_t> owed_by_definition(const View& view, Period d, Period joined,
                                              std::uint32_t start, std::uint32_t stride) {
  std::vector<std::uint32_t> indices;
  for (std::uint32_t j = 1; j << view.order <= d; ++j) {
    if (j << view.order < joined) continue;
    if (view.kind == ViewKind::kSnapshot && (j < start || (j - start) % stride != 0)) continue;
    if (view.kind == ViewKind::kOnce && j != joined) continue;
    indices.push_back(j);
  }
  return indices;
}

void expect_what_the_definitions_say(const View& view, Period d) {
  const Schedule schedule(view, d);
  // A device reports as often as the law has signs, and never more often.
  const std::uint32_t signs = num_signs(view.law);
  if (view.kind == ViewKind::kSnapshot) {
    EXPECT_LE(schedule.num_indices, schedule.stride * signs);
    EXPECT_GT(schedule.num_indices, (schedule.stride - 1) * signs);
  } else if (view.kind != ViewKind::kOnce) {
    EXPECT_EQ(schedule.stride, 1U);
  }
  const std::uint32_t last_start = schedule.draws_start() ? schedule.stride : 0;
  EXPECT_TRUE(schedule.is_start(last_start));
  EXPECT_FALSE(schedule.is_start(last_start + 1));
  EXPECT_EQ(schedule.is_start(0), !schedule.draws_start());
  for (Period joined = 1; joined <= d; ++joined) {
    for (std::uint32_t start = schedule.draws_start() ? 1 : 0; start <= last_start; ++start) {
      const auto owed = owed_by_definition(view, d, joined, start, schedule.stride);
      const std::uint32_t first = schedule.first_index(joined, start);
      EXPECT_EQ(owed.empty(), first > schedule.num_indices);
      for (std::size_t i = 0; i < owed.size(); ++i) {
        EXPECT_EQ(owed[i], first + i * schedule.stride);
        EXPECT_EQ(schedule.start_of(owed[i]), start);
        EXPECT_EQ(schedule.num_owed(first, schedule.due(owed[i])), i + 1);
        EXPECT_EQ(schedule.num_owed(first, schedule.due(owed[i]) - 1), i);
      }
      EXPECT_EQ(schedule.num_owed(first, d), owed.size());
    }
  }
}

TEST(Schedule, SaysWhichIndicesADeviceOwesAndWhen) {
  bool several_snapshots = false;
  for (const Protocol protocol : kProtocols) {
    for (const char* budget : {"1", "4"}) {
      for (const Period d : {1U, 2U, 5U, 14U, 16U, 37U}) {
        const Result<Plan> plan = make_plan(protocol, d, changes_for(protocol, 2), epsilon(budget),
                                            initial_for(protocol));
        ASSERT_TRUE(plan || d <= 2 || epsilon(budget) != epsilon("1"));
        if (!plan) continue;
        for (const View& view : plan->views) {
          expect_what_the_definitions_say(view, d);
          several_snapshots |= view.kind == ViewKind::kSnapshot && num_signs(view.law) > 1 &&
                               Schedule(view, d).stride > 1;
        }
      }
    }
  }
  EXPECT_TRUE(several_snapshots);
}

}  // namespace
}  // namespace futurerand
