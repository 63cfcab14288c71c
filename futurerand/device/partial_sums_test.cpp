#include "futurerand/device/partial_sums.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using testing_sources::SeededSource;

// Computes the sums by the paper's definition, change by change, from values[t] for t = 0..d, where
// values[0] = 0.
std::vector<int> sums_by_definition(const std::vector<bool>& values, Order order) {
  const auto d = static_cast<Period>(values.size() - 1);
  std::vector<int> sums;
  for (IntervalIndex j = 1; j <= num_intervals(d, order); ++j) {
    const DyadicInterval interval{order, j};
    int sum = 0;
    for (Period t = interval.first(); t <= interval.last(); ++t) {
      sum += int{values[t]} - int{values[t - 1]};
    }
    sums.push_back(sum);
  }
  return sums;
}

// Observes only some periods (including all changes and the horizon), and asks only for sums that
// may be nonzero.
std::vector<int> sums_online(const std::vector<bool>& values, Order order, SeededSource& random) {
  const auto d = static_cast<Period>(values.size() - 1);
  std::vector<int> result(num_intervals(d, order), 0);
  PartialSums sums(1);
  for (Period t = 1; t <= d; ++t) {
    if (values[t] == values[t - 1] && t < d && random.below(3) != 0) continue;
    const Period before = sums.now();
    const ValueStep step = sums.step(t, values[t]);
    const IntervalIndex first = (before >> order) + 1;
    const IntervalIndex last = t >> order;
    if (first <= last) result[first - 1] = sums.sum_to(step, first << order);
    if (first < last) result[last - 1] = sums.sum_to(step, last << order);
  }
  return result;
}

TEST(PartialSums, AreThoseOfTheDefinitionForEveryShortSequence) {
  SeededSource random(1);
  for (Period d = 1; d <= 11; ++d) {
    for (std::uint32_t bits = 0; bits < 1U << d; ++bits) {
      std::vector<bool> values(d + 1, false);
      for (Period t = 1; t <= d; ++t) values[t] = (bits >> (t - 1)) & 1U;
      for (Order order = 0; order < num_orders(d); ++order) {
        ASSERT_EQ(sums_online(values, order, random), sums_by_definition(values, order));
      }
    }
  }
}

TEST(PartialSums, AreThoseOfTheDefinitionForAnyHorizon) {
  SeededSource random(2);
  for (int round = 0; round < 2000; ++round) {
    const Period d = 1 + random.below(700);
    const std::uint32_t rarity = 1 + random.below(100);
    std::vector<bool> values(d + 1, false);
    for (Period t = 1; t <= d; ++t) {
      values[t] = random.below(rarity) == 0 ? !values[t - 1] : values[t - 1];
    }
    for (Order order = 0; order < num_orders(d); ++order) {
      ASSERT_EQ(sums_online(values, order, random), sums_by_definition(values, order));
    }
  }
}

// A prefix is the sum of its decomposition; the server relies on this.
TEST(PartialSums, OfADecompositionAddUpToTheValue) {
  SeededSource random(3);
  const Period d = 300;
  std::vector<bool> values(d + 1, false);
  for (Period t = 1; t <= d; ++t) values[t] = random.below(7) == 0 ? !values[t - 1] : values[t - 1];
  for (Period t = 1; t <= d; ++t) {
    int sum = 0;
    for_each_in_prefix(t, [&](const DyadicInterval& interval) {
      sum += sums_by_definition(values, interval.order)[interval.index - 1];
    });
    ASSERT_EQ(sum, int{values[t]});
  }
}

}  // namespace
}  // namespace futurerand
