#include "futurerand/simulator/populations/held_counts.hpp"

#include <gtest/gtest.h>

#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/workers.hpp"

namespace futurerand {
namespace {

const SimulationKey kHeldKey = SimulationKey::from_seed(29);

Coding three_labels() { return *Coding::create(CategoryCoding{{"a", "b"}, "another"}); }
Coding eight_buckets() { return *Coding::create(DistributionCoding{0, 80, "ms", 8}); }

TEST(HeldCounts, CountsLabelsAndThresholdsByTheirDefinition) {
  for (const Coding& coding : {three_labels(), eight_buckets()}) {
    const bool is_distribution = coding.kind() == CodingKind::kDistribution;
    const std::size_t figures = is_distribution ? 7 : 3;
    ASSERT_EQ(num_figures(coding), figures);
    for (const char* name : {"uniform", "drift", "static"}) {
      const Population population =
          *Population::named(name, {300, 9, 2, Initial::kUnknown, coding}, kHeldKey);
      std::vector<double> expected(9 * figures);
      for (std::uint64_t user = 0; user < 300; ++user) {
        Values values;
        population.draw(user, values);
        for (Period t = 1; t <= 9; ++t) {
          for (std::size_t i = 0; i < figures; ++i) {
            const std::uint32_t held = value_at(values, t);
            if (is_distribution ? held <= i : held == i) ++expected[(t - 1) * figures + i];
          }
        }
      }
      EXPECT_EQ(true_counts(population, Workers(2)), expected) << name;
    }
  }
}

TEST(HeldCounts, FiguresHaveNames) {
  EXPECT_EQ(figure_names(three_labels()), (std::vector<std::string>{"a", "b", "another"}));
  EXPECT_EQ(figure_names(eight_buckets()).front(), "below 10");
  EXPECT_EQ(figure_names(eight_buckets()).back(), "below 70");
  EXPECT_TRUE(figure_names(Coding()).empty());
}

TEST(LabelPopulations, ChangeExactlyAsOftenAsAsked) {
  for (const Coding& coding : {three_labels(), eight_buckets()}) {
    for (const std::uint32_t changes : {0U, 1U, 3U, 20U}) {
      for (const char* name : {"uniform", "drift"}) {
        const Population population =
            *Population::named(name, {200, 9, changes, Initial::kUnknown, coding}, kHeldKey);
        for (std::uint64_t user = 0; user < 200; ++user) {
          Values values;
          population.draw(user, values);
          ASSERT_EQ(values.size(), 1 + std::min(changes, 8U));
          EXPECT_EQ(values.front().period, 1U);
          for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_LT(values[i].value, coding.kind() == CodingKind::kCategory ? 3U : 8U);
            if (i == 0) continue;
            EXPECT_GT(values[i].period, values[i - 1].period);
            EXPECT_NE(values[i].value, values[i - 1].value);
          }
        }
      }
    }
  }
  EXPECT_FALSE(
      Population::named("adoption", {5, 9, 1, Initial::kUnknown, three_labels()}, kHeldKey));
  EXPECT_FALSE(Population::named(
      "uniform", {5, 9, 1, Initial::kUnknown, *Coding::create(TextCoding{})}, kHeldKey));
}

TEST(LabelPopulations, ObserveWhatTheyHold) {
  for (const Coding& coding : {three_labels(), eight_buckets()}) {
    for (std::uint32_t code = 0; code < 3; ++code) {
      EXPECT_EQ(*coding.code(value_of(coding, code)), code);
    }
  }
}

}  // namespace
}  // namespace futurerand
