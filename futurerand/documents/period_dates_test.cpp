#include "futurerand/documents/period_dates.hpp"

#include <gtest/gtest.h>

#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

using namespace std::chrono;

constexpr std::int64_t kDay = 86'400;

std::int64_t at(std::string_view text) { return parse_utc_time(text)->time_since_epoch().count(); }

TEST(PeriodDates, WholeDaysAreDatesInTheZone) {
  // Midnight in New York is 05:00 UTC in winter.
  const PeriodDates days({at("2026-11-09T05:00:00Z"), kDay}, "America/New_York");
  EXPECT_EQ(days.text(1), "Nov 9, 2026");
  EXPECT_EQ(days.begins(1), "2026-11-09");
  EXPECT_EQ(days.ends(1), "2026-11-09");
  EXPECT_EQ(days.from(1), "2026-11-09T05:00:00Z");
  EXPECT_EQ(days.to(1), "2026-11-10T05:00:00Z");
  const PeriodDates weeks({at("2026-11-09"), 7 * kDay}, "UTC");
  EXPECT_EQ(weeks.text(1), "Nov 9–15, 2026");
  EXPECT_EQ(weeks.text(3), "Nov 23–29, 2026");
  EXPECT_EQ(weeks.text(4), "Nov 30 – Dec 6, 2026");
  EXPECT_EQ(weeks.text(8), "Dec 28, 2026 – Jan 3, 2027");
  EXPECT_EQ(weeks.ends(8), "2027-01-03");
}

// A day is labelled once, although its clock hour moves.
TEST(PeriodDates, ClockChangesSkipNoDay) {
  const PeriodDates dates({at("2026-10-25T04:00:00Z"), kDay}, "America/New_York");
  const local_days first{2026y / October / 25};
  for (Period t = 1; t <= 400; ++t) {
    const year_month_day day{first + days{t - 1}};
    const unsigned number = static_cast<unsigned>(day.day());
    EXPECT_EQ(dates.begins(t), dates.ends(t)) << t;
    EXPECT_EQ(std::stoi(dates.begins(t).substr(8)), static_cast<int>(number)) << t;
  }
}

TEST(PeriodDates, ShorterPeriodsHaveTimes) {
  const PeriodDates hours({at("2026-11-09T14:00:00Z"), 3600}, "Asia/Kolkata");
  EXPECT_EQ(hours.text(1), "Nov 9, 2026, 19:30–20:30");
  EXPECT_EQ(hours.begins(1), "2026-11-09 19:30");
  EXPECT_EQ(hours.text(5), "Nov 9, 2026, 23:30 – Nov 10, 2026, 00:30");
  const PeriodDates seconds({at("2026-11-09T14:00:01Z"), 2}, "UTC");
  EXPECT_EQ(seconds.ends(1), "2026-11-09 14:00:03");
  // Noon to noon is not a day.
  const PeriodDates noon({at("2026-11-09T12:00:00Z"), kDay}, "UTC");
  EXPECT_EQ(noon.text(1), "Nov 9, 2026, 12:00 – Nov 10, 2026, 12:00");
  const PeriodDates manual;
  EXPECT_EQ(manual.text(1) + manual.from(1) + manual.ends(1), "");
}

TEST(TimeZone, KnowsMidnight) {
  EXPECT_EQ(*midnight_in("America/New_York", 2026y / July / 1), sys_days{2026y / July / 1} + 4h);
  EXPECT_EQ(*midnight_in("America/New_York", 2026y / December / 1),
            sys_days{2026y / December / 1} + 5h);
  // In Beirut summer time begins at midnight: the day begins at 1 o'clock.
  EXPECT_EQ(*midnight_in("Asia/Beirut", 2024y / March / 31), sys_days{2024y / March / 30} + 22h);
  EXPECT_EQ(*midnight_in("UTC", 2026y / July / 1), sys_days{2026y / July / 1});
}

TEST(TimeZone, RefusesWhatIsNoZone) {
  for (const char* name : {"Mars/Olympus", "", "/etc/localtime", "../zoneinfo/UTC", "localtime",
                           "Europe/../UTC", "file:UTC", "posix TZ"}) {
    const Result<TimeZone> zone = TimeZone::load(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_NE(zone.error().message.find("expected a zone of the IANA database"), std::string::npos);
  }
}

}  // namespace
}  // namespace futurerand
