// Panels against their definition. One timeline adds up all live seasons. Honest panels pass both
// checks.
#include "futurerand/estimator/panels.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/endless_answer.hpp"
#include "futurerand/estimator/segment_answer.hpp"
#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::some_devices;
using test::TestBits;
using test::TestDevice;

constexpr Period kSeason = 12;

struct Season {
  explicit Season(const Plan& plan, std::uint64_t seed, std::size_t devices)
      : sums(plan), presence(*empty_presence(plan, false)) {
    std::mt19937_64 random(seed);
    for (const TestDevice& device : some_devices(plan, devices, random)) {
      sums.enrol(0, device.joined, 0);
      for (Period t = device.joined; t < device.next; ++t) {
        sums.add(0, t, one_report(static_cast<Sign>(device.signs[t - 1])));
      }
      const TestBits bits(device, false);
      presence.change(bits.transcript.before(device.joined), bits.transcript);
    }
  }
  Answer own(const Plan& plan, Period current) const {
    return *answer(plan, {sums, &presence, current}, {});
  }

  Sums sums;
  Presence presence;
};

TEST(Panel, SaysWhatItsSeasonSays) {
  const Plan plan = test::innovation_plan(kSeason);
  const Season season(plan, 3, 400);
  const Panel panel = panel_of(plan, {season.sums, &season.presence, 9}, 3);
  const Answer own = season.own(plan, 9);
  ASSERT_EQ(panel.periods.size(), 8U);
  for (std::size_t t = 0; t < 8; ++t) {
    EXPECT_DOUBLE_EQ(panel.periods[t].value, own.rows[t].estimate);
    EXPECT_NEAR(std::sqrt(panel.periods[t].variance), own.rows[t].stddev, 1e-9);
    EXPECT_EQ(panel.periods[t].devices, static_cast<double>(own.rows[t].devices));
    EXPECT_EQ(panel.periods[t].reports, static_cast<double>(own.rows[t].reports));
  }
}

TEST(Panels, AddUpTheSeasonsThatAreLive) {
  const Plan plan = test::innovation_plan(kSeason);
  const Calendar calendar = *Calendar::create(kSeason, 4, 12);
  constexpr Period kNow = 31;
  Panels panels{calendar, kNow, nullptr, {}};
  std::map<Period, double> value, variance, devices;
  for (std::int64_t s = 1; calendar.first(s) < kNow; ++s) {
    const Season season(plan, static_cast<std::uint64_t>(s), 200);
    const auto current =
        static_cast<Period>(std::min<std::int64_t>(kNow - calendar.first(s) + 1, kSeason + 2));
    panels.seasons[s] =
        std::make_shared<const Panel>(panel_of(plan, {season.sums, &season.presence, current}, 3));
    for (const AnswerRow& row : season.own(plan, current).rows) {
      const std::int64_t t = calendar.first(s) + row.period - 1;
      if (t < 1) continue;
      value[static_cast<Period>(t)] += row.estimate;
      variance[static_cast<Period>(t)] += row.stddev * row.stddev;
      devices[static_cast<Period>(t)] += static_cast<double>(row.devices);
    }
  }
  const Result<Answer> found = answer_panels(plan, panels, {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->rows.size(), 30U);
  for (const AnswerRow& row : found->rows) {
    const Period t = row.period;
    EXPECT_NEAR(row.estimate, value[t], 1e-9) << t;
    EXPECT_EQ(static_cast<double>(row.devices), devices[t]) << t;
    // Half of all devices rest: the panels are a sample of one half.
    const double share = std::clamp(value[t] / devices[t], 0.0, 1.0);
    const double sampling = share * (1 - share) * 0.5 / devices[t];
    const double stddev = std::sqrt(variance[t] / (devices[t] * devices[t]) + sampling);
    EXPECT_NEAR(row.stddev / devices[t], stddev, 1e-9) << t;
    EXPECT_NEAR(row.share_band().upper - row.share(), 1.959963984540054 * stddev, 1e-9) << t;
  }
  // One period, and periods without participants: unknown, not 0.
  Question question;
  question.from = question.to = 30;
  EXPECT_EQ(answer_panels(plan, panels, question)->rows.size(), 1U);
  panels.current = 101;
  EXPECT_EQ(answer_panels(plan, panels, {})->rows.size(), 100U);
  EXPECT_TRUE(std::isnan(answer_panels(plan, panels, {})->rows.back().estimate));
  question = {};
  question.window = 2;
  EXPECT_FALSE(answer_panels(plan, panels, question));
  question = {};
  question.estimator = EstimatorKind::kTrend;
  EXPECT_FALSE(answer_panels(plan, panels, question));
}

TEST(Panels, PartsOfOneSeasonAddUp) {
  const Plan plan = test::innovation_plan(kSeason);
  const Season one(plan, 1, 100), other(plan, 2, 150);
  Panel both = panel_of(plan, {one.sums, &one.presence, 14}, 3);
  add(both, panel_of(plan, {other.sums, &other.presence, 14}, 3));
  Season all(plan, 1, 100);
  all.sums.merge(other.sums);
  all.presence.merge(other.presence);
  const Panel whole = panel_of(plan, {all.sums, &all.presence, 14}, 3);
  ASSERT_EQ(both.periods.size(), whole.periods.size());
  for (std::size_t t = 0; t < whole.periods.size(); ++t) {
    EXPECT_NEAR(both.periods[t].value, whole.periods[t].value, 1e-9);
    EXPECT_NEAR(both.periods[t].variance, whole.periods[t].variance, 1e-6);
    EXPECT_EQ(both.periods[t].devices, whole.periods[t].devices);
  }
}

// Panels of devices holding 1 with probability 0.3. Each reports this with noise of `sd`.
struct Noisy {
  std::int64_t devices = 3000;  // of all phases together
  std::int64_t crowded = 0;     // more devices in the seasons of phase 0
  double lie = 0;               // the share of those of phase 0 that say 2 more than they hold
  std::int64_t num_seasons = 40;
  double sd = 5;
};

Panels noisy_panels(const Noisy& noisy, std::mt19937_64& random) {
  const Calendar calendar = *Calendar::create(90, 15, 90);
  Panels panels{calendar, static_cast<Period>(calendar.first(noisy.num_seasons)), nullptr, {}};
  std::normal_distribution<double> normal;
  // Everybody has a phase.
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(calendar.num_phases()));
  for (std::int64_t i = 0; i < noisy.devices; ++i) ++sizes[random() % sizes.size()];
  for (std::int64_t s = 1; s <= noisy.num_seasons; ++s) {
    const std::int64_t phase = calendar.phase(s);
    const double lies = phase == 0 ? noisy.lie : 0;
    auto size = static_cast<double>(sizes[static_cast<std::size_t>(phase)]);
    if (phase == 0) size += static_cast<double>(noisy.crowded);
    Panel panel;
    for (Period a = 1; a <= 90; ++a) {
      const double variance = size * (noisy.sd * noisy.sd);
      const double held = size * 0.3 + std::sqrt(size * 0.21) * normal(random);
      panel.periods.push_back(
          {held + 2 * lies * size + std::sqrt(variance) * normal(random), variance, size, size});
    }
    panels.seasons[s] = std::make_shared<const Panel>(std::move(panel));
  }
  return panels;
}

// The stated rate is one in a thousand for both checks together. In 2,000 metrics there are two on
// average; more than 12 happen with a probability below one in a million.
TEST(Panels, HonestOnesRaiseAlarmsAsRarelyAsStated) {
  std::mt19937_64 random(11);
  int alarms = 0;
  for (int metric = 0; metric < 2000; ++metric) {
    alarms += check_panels(noisy_panels({}, random), 3) ? 1 : 0;
  }
  EXPECT_LE(alarms, 12);
}

TEST(Panels, LiarsInOnePhaseMakeThemDisagree) {
  std::mt19937_64 random(12);
  const Alarm alarm = check_panels(noisy_panels({.devices = 12'000, .lie = 0.5}, random), 3);
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm.text, kPanelsAlarmText);
}

TEST(Panels, CrowdsInOnePhaseMakeThemUnequal) {
  std::mt19937_64 random(13);
  const Alarm alarm = check_panels(noisy_panels({.crowded = 200}, random), 3);
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm.text, kPhasesAlarmText);
  // Season 12 is the first one of phase 0. It begins on day 91, and the next look is on day 105.
  EXPECT_EQ(alarm.period, 105U);
}

TEST(Panels, SmallAndYoungOnesAreNotCompared) {
  std::mt19937_64 random(14);
  EXPECT_FALSE(disagree_by(noisy_panels({.devices = 500, .lie = 1}, random), 0.0005));
  // All panels but one began within the settling time.
  EXPECT_FALSE(crowded_by(noisy_panels({.crowded = 2000}, random), 76, 0.0005));
}

TEST(Panels, AFinalSeasonAnswersForItself) {
  const Plan plan = test::innovation_plan(kSeason);
  const Season season(plan, 5, 300);
  const auto panel = std::make_shared<const Panel>(
      panel_of(plan, {season.sums, &season.presence, kSeason + 2}, 3));
  const Answer own = season.own(plan, kSeason + 2);
  const Result<AnswerStratum> stratum = answer_stratum_of(plan, panel, &season.presence.estimate());
  ASSERT_TRUE(stratum) << stratum.error().message;
  const Result<Answer> found = answer_segments(plan, {}, *stratum);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->rows.size(), own.rows.size());
  for (std::size_t t = 0; t < own.rows.size(); ++t) {
    EXPECT_DOUBLE_EQ(found->rows[t].estimate, own.rows[t].estimate);
    EXPECT_NEAR(found->rows[t].stddev, own.rows[t].stddev, 1e-9);
  }
}

}  // namespace
}  // namespace futurerand
