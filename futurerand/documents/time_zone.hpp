// TimeZone: a zone of the IANA database (tzdata), such as "America/New_York". Servers label periods
// in it; devices count seconds and need none.
//
// Thread safety: a plain value.
#pragma once

#include <chrono>
#include <string>

#include <absl/time/time.h>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

class TimeZone {
 public:
  // UTC.
  TimeZone() : zone_(absl::UTCTimeZone()) {}
  // Fails if the database has no zone of this name.
  static Result<TimeZone> load(const std::string& name);

  // Returns the first second of a day. Where a clock change skips midnight it is the first one
  // after it.
  std::chrono::sys_seconds midnight(std::chrono::year_month_day day) const;
  // Returns what clocks and calendars in the zone show.
  std::chrono::local_seconds local(std::chrono::sys_seconds time) const;

 private:
  explicit TimeZone(absl::TimeZone zone) : zone_(zone) {}
  absl::TimeZone zone_;
};

// Returns the first second of a day in the zone of this name. Fails as load does.
Result<std::chrono::sys_seconds> midnight_in(const std::string& zone,
                                             std::chrono::year_month_day day);

}  // namespace futurerand
