#include "futurerand/wire/utc_time.hpp"

#include <algorithm>

#include "futurerand/wire/json_object.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kDate = "dddd-dd-dd";
constexpr std::string_view kDateAndTime = "dddd-dd-ddTdd:dd:ddZ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char f) { return f == 'd' ? is_digit(c) : c == f; });
}

// Requires digits there.
int number_at(std::string_view text, std::size_t from, std::size_t digits) {
  int number = 0;
  for (const char c : text.substr(from, digits)) number = number * 10 + (c - '0');
  return number;
}

}  // namespace

bool is_date(std::string_view text) { return has_form(text, kDate); }

Result<std::chrono::sys_seconds> parse_utc_time(std::string_view text) {
  using namespace std::chrono;
  const Error malformed{shown(text) + "; expected a text such as '2026-01-31T12:00:00Z'"};
  const bool with_time = has_form(text, kDateAndTime);
  if (!with_time && !has_form(text, kDate)) return malformed;
  const year_month_day date{year{number_at(text, 0, 4)},
                            month{static_cast<unsigned>(number_at(text, 5, 2))},
                            day{static_cast<unsigned>(number_at(text, 8, 2))}};
  if (date.year() < year{1970} || !date.month().ok()) return malformed;
  if (!date.ok()) {
    const year_month_day_last last{date.year(), month_day_last{date.month()}};
    return Error{shown(text) + ", a day that does not exist; expected 1 to " +
                 std::to_string(static_cast<unsigned>(last.day())) + " in that month"};
  }
  const sys_seconds midnight = sys_days{date};
  if (!with_time) return midnight;
  const hours hour{number_at(text, 11, 2)};
  const minutes minute{number_at(text, 14, 2)};
  const seconds second{number_at(text, 17, 2)};
  if (hour >= days{1} || minute >= hours{1} || second >= minutes{1}) return malformed;
  return midnight + hour + minute + second;
}

std::string utc_text(std::chrono::sys_seconds time) {
  using namespace std::chrono;
  const sys_days midnight = floor<days>(time);
  const year_month_day date{midnight};
  const hh_mm_ss clock{time - midnight};
  const auto two = [](auto number) {
    const std::string text = std::to_string(number);
    return text.size() < 2 ? "0" + text : text;
  };
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
         "T" + two(clock.hours().count()) + ":" + two(clock.minutes().count()) + ":" +
         two(clock.seconds().count()) + "Z";
}

std::string readable_time(std::int64_t seconds) {
  constexpr std::int64_t kEnd = 253'402'300'800;  // the first second of the year 10000
  if (seconds < 0 || seconds >= kEnd) return "second " + std::to_string(seconds) + " since 1970";
  std::string text = utc_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  text[text.find('T')] = ' ';
  text.erase(text.size() - (seconds % 60 == 0 ? 4 : 1));
  return text + " UTC";
}

}  // namespace futurerand
