#include "futurerand/study/segment_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

PlanQuestion segment_question() {
  PlanQuestion question;
  question.periods = 32;
  question.changes = 1;
  question.users = 100'000;
  question.segments = *Segments::create("platform", {"linux", "mac", "windows", "other"});
  return question;
}

PlanRow recommended_row(const PlanQuestion& question) {
  const Result<std::vector<PlanRow>> rows = make_plan_rows(question);
  return *recommended(question, *rows);
}

// A metric of the segment's devices alone has this error.
TEST(SegmentPlan, HasTheErrorOfAMetricOfItsOwn) {
  PlanQuestion question = segment_question();
  const PlanRow row = recommended_row(question);
  question.segment_shares = {0.7, 0.2, 0.09, 0.01};
  const Result<SegmentPlan> plan = make_segment_plan(question, row);
  ASSERT_TRUE(plan);
  for (std::size_t g = 0; g < 4; ++g) {
    PlanQuestion alone = question;
    alone.segments = {};
    alone.users = static_cast<std::uint64_t>(std::lround(100'000 * question.segment_shares[g]));
    const double rmse = recommended_row(alone).error->rmse;
    EXPECT_NEAR(plan->segments[g].rmse, rmse, 1e-9 * rmse);
    EXPECT_NEAR(plan->segments[g].share_error, rmse / static_cast<double>(alone.users), 1e-12);
  }
  // A tenth of the devices: about three times the error.
  EXPECT_NEAR(plan->segments[2].share_error / (row.error->rmse / 100'000), std::sqrt(1 / 0.09),
              1e-9);
  PlanQuestion smallest = question;
  smallest.segments = {};
  smallest.users = static_cast<std::uint64_t>(plan->smallest_devices);
  EXPECT_NEAR(recommended_row(smallest).error->rmse / plan->smallest_devices, 0.05, 1e-4);
}

TEST(SegmentPlan, EqualPartsUnlessSharesAreGiven) {
  PlanQuestion question = segment_question();
  const PlanRow row = recommended_row(question);
  question.target_error = 0.01;
  const Result<SegmentPlan> plan = make_segment_plan(question, row);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->segments.size(), 4U);
  for (const SegmentChoice& segment : plan->segments) EXPECT_EQ(segment.devices, 25'000);
  EXPECT_EQ(plan->target_error, 0.01);
  question.segment_shares = {0.5, 0.5};
  EXPECT_EQ(make_segment_plan(question, row).error().message,
            "segment_shares has 2 shares; expected 4, one for each segment");
  question.segment_shares = {0.5, 0.5, 0.5, 0.5};
  EXPECT_EQ(make_segment_plan(question, row).error().message,
            "segment_shares add up to 2; expected at most 1");
}

}  // namespace
}  // namespace futurerand
