#include "futurerand/documents/period_dates.hpp"

#include <fmt/core.h>

#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;

constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr hours kNearMidnight{2};

local_days nearest_day(local_seconds time) { return std::chrono::floor<days>(time + hours{12}); }

bool is_near_midnight(local_seconds time) {
  const seconds off = time - nearest_day(time);
  return off <= kNearMidnight && off >= -kNearMidnight;
}

std::string time_text(local_seconds time, bool with_seconds) {
  const std::chrono::hh_mm_ss clock{time - std::chrono::floor<days>(time)};
  const std::string text =
      fmt::format("{:02}:{:02}", clock.hours().count(), clock.minutes().count());
  return with_seconds ? fmt::format("{}:{:02}", text, clock.seconds().count()) : text;
}

std::string iso_date(local_days day) {
  const year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string date_and_time(local_seconds time, bool with_seconds) {
  return iso_date(std::chrono::floor<days>(time)) + " " + time_text(time, with_seconds);
}

std::string month_and_day(const year_month_day& date) {
  return fmt::format("{} {}", kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<unsigned>(date.day()));
}

std::string date_text(const year_month_day& date) {
  return fmt::format("{}, {}", month_and_day(date), static_cast<int>(date.year()));
}

std::string days_text(local_days first, local_days last) {
  const year_month_day from{first}, to{last};
  if (from == to) return date_text(from);
  if (from.year() != to.year()) return date_text(from) + " – " + date_text(to);
  if (from.month() != to.month()) return month_and_day(from) + " – " + date_text(to);
  return fmt::format("{}–{}, {}", month_and_day(from), static_cast<unsigned>(to.day()),
                     static_cast<int>(to.year()));
}

sys_seconds instant(std::int64_t unix_seconds) { return sys_seconds(seconds(unix_seconds)); }

std::int64_t begin_of(const Clock& clock, Period period) {
  return clock.start + (std::int64_t{period} - 1) * clock.length;
}

}  // namespace

std::string local_text(const TimeZone& zone, sys_seconds time) {
  return date_and_time(zone.local(time), time.time_since_epoch().count() % 60 != 0);
}

struct PeriodDates::Local {
  local_seconds begin, end;
  bool whole_days, with_seconds;

  local_days first_day() const { return nearest_day(begin); }
  local_days last_day() const { return nearest_day(end) - days{1}; }
  std::string date_and_time(local_seconds time) const {
    return futurerand::date_and_time(time, with_seconds);
  }
};

PeriodDates::PeriodDates(const Clock& clock, const std::string& zone) : clock_(clock) {
  if (Result<TimeZone> loaded = TimeZone::load(zone)) zone_ = *loaded;
}

PeriodDates::Local PeriodDates::local_of(Period first, Period last) const {
  const local_seconds begin = zone_.local(instant(begin_of(clock_, first)));
  const local_seconds end = zone_.local(instant(begin_of(clock_, last + 1)));
  return {begin, end,
          is_near_midnight(begin) && is_near_midnight(end) && nearest_day(begin) < nearest_day(end),
          clock_.start % 60 != 0 || clock_.length % 60 != 0};
}

std::string PeriodDates::from(Period period) const {
  return has_dates() ? utc_text(instant(begin_of(clock_, period))) : "";
}

std::string PeriodDates::begins(Period period) const {
  if (!has_dates()) return "";
  const Local at = local_of(period, period);
  return at.whole_days ? iso_date(at.first_day()) : at.date_and_time(at.begin);
}

std::string PeriodDates::ends(Period period) const {
  if (!has_dates()) return "";
  const Local at = local_of(period, period);
  return at.whole_days ? iso_date(at.last_day()) : at.date_and_time(at.end);
}

std::string PeriodDates::text(Period first, Period last) const {
  if (!has_dates()) return "";
  const Local at = local_of(first, last);
  if (at.whole_days) return days_text(at.first_day(), at.last_day());
  const local_days first_day = std::chrono::floor<days>(at.begin);
  const local_days last_day = std::chrono::floor<days>(at.end);
  const std::string begin =
      date_text(year_month_day{first_day}) + ", " + time_text(at.begin, at.with_seconds);
  const std::string end = time_text(at.end, at.with_seconds);
  if (first_day == last_day) return begin + "–" + end;
  return begin + " – " + date_text(year_month_day{last_day}) + ", " + end;
}

}  // namespace futurerand
