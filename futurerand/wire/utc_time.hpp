// Points in time as people write them: "2026-01-31T12:00:00Z" or "2026-01-31", always UTC.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// Reads a time from 1970 to 9999. A date alone means its first second. Days that the month does not
// have are refused.
Result<std::chrono::sys_seconds> parse_utc_time(std::string_view text);
// Whether it has the form of a date, and no time.
bool is_date(std::string_view text);
// Writes it as "2026-01-31T12:00:00Z".
std::string utc_text(std::chrono::sys_seconds time);
// Writes seconds since 1970 for people, as "2026-01-31 12:00 UTC"; with seconds only if there are
// some. A time after 9999 is written as a number.
std::string readable_time(std::int64_t seconds);

}  // namespace futurerand
