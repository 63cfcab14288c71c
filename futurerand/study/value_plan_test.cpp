#include "futurerand/study/value_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/plan/prediction.hpp"

namespace futurerand {
namespace {

MetricParameters labels_of(const std::string& labels, std::uint32_t changes) {
  MetricParameters question;
  question.periods = 64;
  question.changes = changes;
  question.value = CodingKind::kCategory;
  question.labels = labels;
  return question;
}

double yes_no_error(Period periods, std::uint32_t changes) {
  return predict_error(*make_plan(Protocol::kInnovation, periods, changes, *Epsilon::parse("1"),
                                  Initial::kUnknown),
                       1)
      .rmse;
}

TEST(ValuePlan, WeighsNoiseAgainstLoss) {
  const std::uint64_t users = 1'000'000;
  const ValuePlan plan = *make_value_plan(labels_of("64", 4), users);
  ASSERT_EQ(plan.choices.size(), 5U);
  for (std::uint32_t k = 0; k <= 4; ++k) {
    const ValueChoice& choice = plan.choices[k];
    EXPECT_EQ(choice.max_changes, k);
    // The noise of a label is 2 (R - 1) / R times the noise of a yes/no count.
    EXPECT_NEAR(choice.noise, 2.0 * 63 / 64 * yes_no_error(64, k) / 1000, 1e-12);
    EXPECT_NEAR(choice.error, std::hypot(choice.noise, 0.1 * choice.loss), 1e-12);
    if (k > 0) {
      EXPECT_GT(choice.noise, plan.choices[k - 1].noise);
      EXPECT_LT(choice.loss, plan.choices[k - 1].loss);
    }
    EXPECT_GE(choice.error, plan.choices[plan.best].error);
  }
  EXPECT_EQ(plan.choices[4].loss, 0);
  EXPECT_GT(plan.choices[3].loss, 0.0005);
  EXPECT_LT(plan.choices[3].loss, 0.02);
  // With few devices noise hides the loss, so fewer changes are planned for.
  EXPECT_LT(make_value_plan(labels_of("64", 4), 10'000)->best,
            make_value_plan(labels_of("64", 4), 100'000'000)->best);
  const double needed = plan.devices_for_share[0].second;
  EXPECT_NEAR(plan.choices[plan.best].noise * 1000 / std::sqrt(needed), 0.01 / 4, 1e-6);
}

// The losses come from an independent program that plays the rule of innovation2.md: 9,000 devices
// with four changes at random times. It gives 1.44% for the law of values.md that is exact up to
// two changes (1.3% there). That law has three signs a level and 11% more noise; ours has two and a
// start level.
TEST(ValuePlan, LosesWhatAnIndependentProgramSays) {
  MetricParameters question = labels_of("64", 4);
  question.periods = 256;
  const ValuePlan plan = *make_value_plan(question, 1'000'000);
  EXPECT_NEAR(plan.choices[1].loss, 0.1323, 0.012);
  EXPECT_NEAR(plan.choices[2].loss, 0.0332, 0.003);
  EXPECT_NEAR(plan.choices[3].loss, 0.0036, 0.0005);
  EXPECT_NEAR(plan.choices[2].noise, 0.0148, 0.0002);
}

TEST(ValuePlan, ServesDistributions) {
  MetricParameters question;
  question.periods = 64;
  question.changes = 2;
  question.value = CodingKind::kDistribution;
  question.buckets = 16;
  const ValuePlan plan = *make_value_plan(question, 10'000);
  ASSERT_EQ(plan.choices.size(), 1U);
  // values.md: the root mean square over thresholds is 2.58 s for 16 buckets, and the mean has
  // sqrt((b/2) (1 - 2^-b)) s.
  EXPECT_NEAR(plan.choices[0].noise, 2.58 * yes_no_error(64, 2) / 100, 0.003 * 2.58);
  EXPECT_NEAR(plan.choices[0].mean_noise, std::sqrt(2.0 * 15 / 16) * yes_no_error(64, 2) / 100,
              1e-9);
}

TEST(ValuePlan, SaysWhatIsMissing) {
  MetricParameters question = labels_of("2", 1);
  question.labels.reset();
  EXPECT_NE(question.coding().error().message.find("--labels"), std::string::npos);
  for (const char* wrong : {"1", "65537", "/there/is/no/such/file"}) {
    EXPECT_FALSE(labels_of(wrong, 1).coding()) << wrong;
  }
  MetricParameters from_zero = labels_of("2", 1);
  from_zero.initial = Initial::kZero;
  EXPECT_NE(make_value_plan(from_zero, 100).error().message.find("unknown"), std::string::npos);
  question.value = CodingKind::kDistribution;
  question.range = {3, 3};
  EXPECT_FALSE(question.coding());
}

}  // namespace
}  // namespace futurerand
