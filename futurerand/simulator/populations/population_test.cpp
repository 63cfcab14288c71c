#include "futurerand/simulator/populations/population.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/workers.hpp"

namespace futurerand {
namespace {

const SimulationKey kPopulationKey = SimulationKey::from_seed(7);

Flips flips_of(const Population& population, std::uint64_t user) {
  Flips flips;
  population.draw(user, flips);
  return flips;
}

TEST(Population, UsersChangeAtMostAsOftenAsAllowed) {
  for (const std::string_view name : {"uniform", "adoption", "seasonal", "churn", "static"}) {
    for (const Period periods : {1U, 2U, 3U, 7U, 64U, 1000U}) {
      for (const std::uint32_t changes : {1U, 2U, 3U, 8U, 40U}) {
        const auto population = Population::named(name, {200, periods, changes}, kPopulationKey);
        ASSERT_TRUE(population);
        for (std::uint64_t user = 0; user < 200; ++user) {
          const Flips flips = flips_of(*population, user);
          ASSERT_LE(flips.size(), changes) << name;
          for (std::size_t i = 0; i < flips.size(); ++i) {
            ASSERT_GT(flips[i], i == 0 ? 0 : flips[i - 1]) << name;
            ASSERT_LE(flips[i], periods) << name;
          }
          if (name == "uniform") {
            ASSERT_EQ(flips.size(), std::min(changes, periods));
          }
        }
      }
    }
  }
}

TEST(Population, UniformChangesAreEquallyLikelyAtEveryPeriod) {
  // Of 5 periods 3 are drawn through those left out and 2 directly. Counts are binomial: beyond 5.5
  // standard deviations in ten of them happens with probability 4e-7.
  constexpr std::uint64_t kUsers = 20000;
  for (const std::uint32_t changes : {2U, 3U}) {
    const auto population = Population::named("uniform", {kUsers, 5, changes}, kPopulationKey);
    std::vector<double> count(5);
    for (std::uint64_t user = 0; user < kUsers; ++user) {
      for (const Period t : flips_of(*population, user)) ++count[t - 1];
    }
    const double p = changes / 5.0;
    for (const double n : count) {
      EXPECT_NEAR(n, kUsers * p, 5.5 * std::sqrt(kUsers * p * (1 - p)));
    }
  }
}

TEST(Population, AUserIsTheSameWhoeverAsksAndWhenever) {
  const auto one = Population::named("churn", {10, 50, 4}, kPopulationKey);
  const auto other = Population::named("churn", {1000, 50, 4}, kPopulationKey);
  EXPECT_EQ(flips_of(*other, 9), flips_of(*one, 9));
  EXPECT_EQ(flips_of(*one, 9), flips_of(*one, 9));
  const auto reseeded = Population::named("churn", {10, 50, 4}, SimulationKey::from_seed(8));
  EXPECT_NE(flips_of(*reseeded, 9), flips_of(*one, 9));
}

TEST(Population, AnUnknownNameSaysWhichAreKnown) {
  const auto population = Population::named("martian", {1, 1, 1}, kPopulationKey);
  ASSERT_FALSE(population);
  EXPECT_EQ(population.error().message,
            "population 'martian' is unknown; expected one of uniform, adoption, seasonal, churn, "
            "static");
}

TEST(Population, APanelIsTakenAsItIsOrDrawnWithReplacement) {
  // The second row of user 3 repeats its value, so it is no flip.
  const std::vector<UserValues> panel = {{"3", {{2, true}, {4, true}, {5, false}}},
                                         {"9", {{1, true}}}};
  const auto exact = Population::from_panel(panel, {2, 8, 1}, kPopulationKey);
  ASSERT_TRUE(exact);
  EXPECT_EQ(flips_of(*exact, 0), (Flips{2, 5}));
  EXPECT_EQ(flips_of(*exact, 1), (Flips{1}));
  EXPECT_EQ(true_counts(*exact, Workers(1)), (std::vector<double>{1, 2, 2, 2, 1, 1, 1, 1}));

  const auto drawn = Population::from_panel(panel, {4000, 8, 1}, kPopulationKey);
  ASSERT_TRUE(drawn);
  // Binomial(4000, 1/2) is beyond 5.5 standard deviations with probability 4e-8.
  EXPECT_NEAR(true_counts(*drawn, Workers(2))[0], 2000, 174);

  EXPECT_FALSE(Population::from_panel(panel, {1, 8, 1}, kPopulationKey));
}

TEST(Flips, SumsOfIntervalsAreDifferencesOfValues) {
  for (std::uint32_t mask = 0; mask < 1U << 11; ++mask) {
    Flips flips;
    for (Period t = 1; t <= 11; ++t) {
      if ((mask >> (t - 1)) & 1U) flips.push_back(t);
    }
    for (Order order = 0; order < 4; ++order) {
      std::vector<int> sums(num_intervals(11, order));
      for_each_nonzero_sum(flips, order, num_intervals(11, order),
                           [&](IntervalIndex index, int sum) { sums[index - 1] = sum; });
      for (IntervalIndex j = 1; j <= sums.size(); ++j) {
        const DyadicInterval interval{order, j};
        ASSERT_EQ(sums[j - 1], int{value_at(flips, interval.last())} -
                                   int{value_at(flips, interval.first() - 1)});
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
