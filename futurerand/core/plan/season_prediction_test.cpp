#include "futurerand/core/plan/season_prediction.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/innovation_filter.hpp"

namespace futurerand {
namespace {

const Epsilon kOne = *Epsilon::parse("1");

Plan season(Period periods, std::uint32_t changes) {
  return *make_plan(Protocol::kInnovation, periods, changes, kOne, Initial::kUnknown);
}

// The figures of the design's tables, from independent programs, and the price of a rest:
// sqrt((d + R) / d) times the error of one horizon, and the sampling of half of the devices.
TEST(SeasonPrediction, AgreesWithTheDesign) {
  const Calendar half = *Calendar::create(90, 15, 90);
  EXPECT_NEAR(season_share_sd(season(90, 1), half), 7.345, 0.015 * 7.345);
  EXPECT_NEAR(season_share_sd(season(90, 2), half), 8.871, 0.015 * 8.871);
  const double sd = season_share_sd(season(90, 1), half);
  const double fixed = season_share_sd(season(90, 1), *Calendar::create(90, 15, 0));
  EXPECT_NEAR(fixed, 5.18, 0.015 * 5.18);
  EXPECT_NEAR(sd * sd, 2 * fixed * fixed + 0.25, 1e-9);
  // Means over weeks and months.
  EXPECT_NEAR(season_share_sd(season(90, 1), half, 7), 5.8, 0.1);
  EXPECT_NEAR(season_share_sd(season(90, 1), half, 30), 4.1, 0.15);
  // One randomized answer in 91 days: its variance given the value, and an answer of one in 91.
  const Plan once = *make_plan(Protocol::kOnce, 1, 0, kOne, Initial::kUnknown);
  const Calendar rare = *Calendar::create(1, 1, 90);
  const double each = std::sqrt(1 / (4 * std::tanh(0.5) * std::tanh(0.5)) - 0.25);
  const double variance = each * each * 91;
  EXPECT_NEAR(season_share_sd(once, rare), 10.3, 0.05);
  EXPECT_NEAR(season_share_sd(once, rare), std::sqrt(variance + 0.25 * 90), 1e-6);
  EXPECT_NEAR(season_share_sd(once, rare, 7), std::sqrt(variance / 7 + 0.25 * (91.0 / 7 - 1)),
              1e-6);
  EXPECT_NEAR(season_share_sd(once, rare, 91), each, 1e-6);
}

// By the formulas of coding.md: R codes of b bits each.
TEST(SeasonPrediction, KnowsLabelsAndThresholds) {
  const Calendar half = *Calendar::create(90, 15, 90);
  constexpr double kSampling = 0.25;
  const auto noise = [&](CodingSettings settings) {
    const Plan plan = *make_plan(Protocol::kInnovation, 90, 1, kOne, Initial::kUnknown,
                                 *Coding::create(std::move(settings)));
    const double sd = season_share_sd(plan, half);
    return sd * sd - kSampling;
  };
  const double yes_no = noise(YesNoCoding{});
  EXPECT_NEAR(noise(NumberCoding{0, 1, ""}), yes_no, 0.001 * yes_no);
  EXPECT_NEAR(noise(CategoryCoding{{"a", "b"}, {}}), yes_no, 1e-9);
  // Five labels have eight codes: 2 * 7/8 times the deviation.
  EXPECT_NEAR(noise(CategoryCoding{{"a", "b", "c", "d", "e"}, {}}), 1.75 * 1.75 * yes_no, 1e-9);
  // 16 buckets: R/(R-1) (b^2/3 + (2b/9) (1 - 4^-b)), b = 4.
  const double factor = 16.0 / 15 * (16.0 / 3 + 8.0 / 9 * (1 - 1.0 / 256));
  EXPECT_NEAR(noise(DistributionCoding{0, 1, "", 16}), factor * yes_no, 1e-9);
}

// The same by brute force: devices in random phases with independent noise in every report.
TEST(SeasonPrediction, AgreesWithSimulatedNoise) {
  const Plan plan = season(12, 1);
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(plan.views.front().law));
  const std::vector<double> response = filter.response(12);
  std::mt19937_64 random(5);
  for (const auto& [rest, q] : {std::pair<std::int64_t, std::int64_t>{12, 1}, {12, 5}, {4, 30}}) {
    const Calendar calendar = *Calendar::create(12, 4, rest);
    const std::int64_t cycle = calendar.cycle();
    double squares = 0;
    constexpr int kDevices = 200'000;
    for (int i = 0; i < kDevices; ++i) {
      const auto shift = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(cycle));
      const bool holds = random() % 2 == 0;
      double mean = 0;
      std::vector<double> signs(12);
      for (std::int64_t t = 0; t < shift + q; ++t) {
        const std::int64_t age = t % cycle;
        if (age >= 12) continue;
        if (age == 0) {
          for (double& sign : signs) sign = random() % 2 == 0 ? 1 : -1;
        }
        if (t < shift) continue;
        double estimate = holds ? 1 : 0;
        for (std::int64_t s = 0; s <= age; ++s) {
          estimate += response[static_cast<std::size_t>(age - s)] *
                      signs[static_cast<std::size_t>(s)] / filter.kappa;
        }
        mean += (estimate - 0.5) / static_cast<double>(q) * static_cast<double>(cycle) / 12;
      }
      mean -= holds ? 0.5 : -0.5;
      squares += mean * mean;
    }
    const double sd = std::sqrt(squares / kDevices);
    EXPECT_NEAR(season_share_sd(plan, calendar, static_cast<Period>(q)), sd, 0.01 * sd) << q;
  }
}

TEST(SeasonPrediction, CountsChangesAsPoisson) {
  EXPECT_EQ(changes_in_season(1, 90), 0U);
  for (const double every : {30.0, 90.0, 365.0}) {
    for (const Period periods : {15U, 60U, 90U, 365U}) {
      const std::uint32_t changes = changes_in_season(periods, every);
      const double mean = (periods - 1) / every;
      double term = std::exp(-mean), within = 0;
      for (std::uint32_t i = 0; i <= changes; ++i) {
        within += term;
        EXPECT_EQ(within >= 0.98, i == changes);
        term *= mean / (i + 1);
      }
    }
  }
}

TEST(SeasonPrediction, FindsACalendar) {
  for (Period periods = 1; periods <= 400; ++periods) {
    const Result<Calendar> calendar = calendar_for(periods, 90);
    ASSERT_TRUE(calendar) << periods;
    EXPECT_GE(calendar->rest(), 90);
    EXPECT_EQ(calendar->seasons_in(90), 1);
  }
  EXPECT_EQ(*calendar_for(90, 90), *Calendar::create(90, 15, 90));
}

}  // namespace
}  // namespace futurerand
