#include "futurerand/core/plan/calendar.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

std::vector<Calendar> calendars() {
  std::vector<Calendar> list;
  const std::int64_t shapes[][3] = {{90, 15, 90}, {6, 2, 4}, {6, 3, 0},   {4, 2, 6},
                                    {1, 1, 4},    {5, 5, 5}, {32, 1, 0},  {1, 1, 0},
                                    {8, 4, 12},   {7, 1, 3}, {12, 12, 0}, {360, 90, 90}};
  for (const auto& [season, every, rest] : shapes) {
    list.push_back(*Calendar::create(season, every, rest));
  }
  return list;
}

// Season s runs for `season` periods; one begins every `every`; season season/every begins in
// period 1.
bool is_live(const Calendar& c, std::int64_t s, std::int64_t t) {
  const std::int64_t first = 1 + (s - c.season() / c.every()) * c.every();
  return first <= t && t < first + c.season();
}

TEST(Calendar, KnowsLiveSeasonsAndPhases) {
  for (const Calendar& c : calendars()) {
    for (std::int64_t t = 1; t < 3 * c.cycle(); ++t) {
      std::vector<std::int64_t> live;
      for (std::int64_t s = 1; s < 5 * c.cycle(); ++s) {
        EXPECT_EQ(is_live(c, s, t), c.first(s) <= t && t <= c.last(s));
        if (is_live(c, s, t)) live.push_back(s);
      }
      ASSERT_EQ(live.size(), static_cast<std::size_t>(c.num_live()));
      EXPECT_EQ(live.front(), c.first_live(t));
      EXPECT_EQ(live.back(), c.first_live(t) + c.num_live() - 1);
      // A device is in one live season at most, and each phase finds its own.
      for (std::int64_t phase = 0; phase < c.num_phases(); ++phase) {
        std::vector<std::int64_t> own;
        for (const std::int64_t s : live) {
          if (c.phase(s) == phase) own.push_back(s);
        }
        ASSERT_LE(own.size(), 1U);
        ASSERT_EQ(c.season_of(phase, t).has_value(), own.size() == 1);
        if (!own.empty()) {
          EXPECT_EQ(*c.season_of(phase, t), own[0]);
        }
      }
    }
  }
}

TEST(Calendar, SeparatesTheSeasonsOfAPhaseByTheRest) {
  for (const Calendar& c : calendars()) {
    for (std::int64_t phase = 0; phase < c.num_phases(); ++phase) {
      std::set<std::int64_t> own;
      for (std::int64_t t = 1; t < 4 * c.cycle(); ++t) {
        if (const auto s = c.season_of(phase, t)) own.insert(*s);
      }
      ASSERT_GE(own.size(), 3U);
      for (auto at = own.begin(); std::next(at) != own.end(); ++at) {
        EXPECT_EQ(c.first(*std::next(at)) - c.last(*at) - 1, c.rest());
        EXPECT_EQ(c.next_season(phase, *at), *at);
        EXPECT_EQ(c.next_season(phase, *at + 1), *std::next(at));
      }
    }
  }
}

TEST(Calendar, CountsTheSeasonsThatAWindowMeets) {
  for (const Calendar& c : calendars()) {
    for (std::int64_t window = 1; window < 3 * c.cycle(); ++window) {
      std::int64_t most = 0;
      for (std::int64_t from = 1; from <= c.cycle(); ++from) {
        std::int64_t met = 0;
        for (std::int64_t i = 0; i < 8; ++i) {
          const std::int64_t first = i * c.cycle() + 1, last = i * c.cycle() + c.season();
          if (first <= from + window - 1 && from <= last) ++met;
        }
        most = std::max(most, met);
      }
      ASSERT_EQ(c.seasons_in(window), most) << c.season() << " " << c.rest() << " " << window;
    }
  }
  // 90 days on, 90 off: one season in any 90 days, seven in three years.
  const Calendar quarters = *Calendar::create(90, 15, 90);
  EXPECT_EQ(quarters.seasons_in(90), 1);
  EXPECT_EQ(quarters.seasons_in(92), 2);
  EXPECT_EQ(quarters.seasons_in(3 * 365), 7);
  EXPECT_EQ(quarters.num_live(), 6);
  EXPECT_EQ(quarters.num_phases(), 12);
}

std::string calendar_refusal(std::int64_t season, std::int64_t every, std::int64_t rest) {
  const Result<Calendar> calendar = Calendar::create(season, every, rest);
  return calendar ? "" : calendar.error().message;
}

TEST(Calendar, RefusesSeasonsThatDoNotFit) {
  const auto impossible = [](const std::string& season, const std::string& every,
                             const std::string& rest) {
    return "seasons of " + season + " periods every " + every + " with a rest of " + rest +
           " are not possible; expected at least 1, 1 and 0, and a season and its rest of at most "
           "1048576 periods";
  };
  EXPECT_EQ(calendar_refusal(0, 1, 0), impossible("0", "1", "0"));
  EXPECT_EQ(calendar_refusal(4, 0, 4), impossible("4", "0", "4"));
  EXPECT_EQ(calendar_refusal(4, 2, -2), impossible("4", "2", "-2"));
  EXPECT_EQ(calendar_refusal(1 << 20, 1 << 20, 1), impossible("1048576", "1048576", "1"));
  EXPECT_EQ(
      calendar_refusal(6, 4, 4),
      "a season begins every 4 periods; expected a divisor of the season, 6, and of the rest, 4");
  EXPECT_EQ(
      calendar_refusal(4, 4, 6),
      "a season begins every 4 periods; expected a divisor of the season, 4, and of the rest, 6");
  EXPECT_EQ(calendar_refusal(33, 1, 0), "33 seasons would be live at a time; expected 1 to 32");
  EXPECT_EQ(calendar_refusal(32, 1, 0), "");
}

}  // namespace
}  // namespace futurerand
