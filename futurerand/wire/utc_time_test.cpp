#include "futurerand/wire/utc_time.hpp"

#include <ctime>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(UtcTime, AgreesWithTheCLibraryOnEveryDayOfEightyYears) {
  for (std::time_t time = 0; time < std::time_t{80} * 366 * 86400; time += 86400 - 7) {
    const std::tm* const parts = std::gmtime(&time);
    ASSERT_NE(parts, nullptr);
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", parts);
    const Result<std::chrono::sys_seconds> parsed = parse_utc_time(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_EQ(parsed->time_since_epoch().count(), time) << text;
  }
}

TEST(UtcTime, ADateIsItsFirstSecond) {
  EXPECT_EQ(*parse_utc_time("2026-01-31"), *parse_utc_time("2026-01-31T00:00:00Z"));
}

TEST(UtcTime, RefusesDaysThatDoNotExist) {
  for (const char* text : {"2001-02-31", "2001-02-29", "2026-04-31T10:00:00Z", "1900-02-29",
                           "2100-02-29", "2026-01-32", "2026-01-00"}) {
    EXPECT_FALSE(parse_utc_time(text)) << text;
  }
  EXPECT_TRUE(parse_utc_time("2000-02-29"));
  EXPECT_TRUE(parse_utc_time("2024-02-29T23:59:59Z"));
  const Result<std::chrono::sys_seconds> february = parse_utc_time("2001-02-31");
  EXPECT_EQ(february.error().message,
            "'2001-02-31', a day that does not exist; expected 1 to 28 in that month");
}

TEST(UtcTime, RefusesEveryOtherForm) {
  for (const char* text :
       {"", "yesterday", "2026-1-31", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00",
        "2026-01-31T12:00:00+01:00", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:60Z", "2026-13-01", "2026-00-01", "1969-12-31", " 2026-01-31",
        "2026-01-31Z", "-026-01-31", "+026-01-31", "2026-01-31T12:00:00Zz"}) {
    EXPECT_FALSE(parse_utc_time(text)) << text;
  }
}

TEST(UtcText, IsWhatWasRead) {
  for (const char* text :
       {"1970-01-01T00:00:00Z", "2026-01-31T12:05:09Z", "9999-12-31T23:59:59Z"}) {
    EXPECT_EQ(utc_text(*parse_utc_time(text)), text);
  }
}

}  // namespace
}  // namespace futurerand
