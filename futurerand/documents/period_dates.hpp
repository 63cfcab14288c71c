// PeriodDates: when the periods of a metric begin and end, as instants for programs and as dates in
// the metric's time zone for people. Every reader sees the same dates, wherever they are.
//
// A period whose ends are within two hours of midnight is made of whole days: clock changes move
// midnight by an hour, and periods have a fixed length.
//
// Thread safety: a plain value.
#pragma once

#include <string>

#include "futurerand/core/plan/clock.hpp"
#include "futurerand/documents/time_zone.hpp"

namespace futurerand {

// Writes an instant as "2026-11-09 14:00", in the zone.
std::string local_text(const TimeZone& zone, std::chrono::sys_seconds time);

class PeriodDates {
 public:
  // For a manual clock: all texts are empty.
  PeriodDates() = default;
  PeriodDates(const Clock& clock, const TimeZone& zone) : clock_(clock), zone_(zone) {}
  // Dates are in UTC if the database has no such zone any more.
  PeriodDates(const Clock& clock, const std::string& zone);

  bool has_dates() const { return !clock_.is_manual(); }
  // The first second, and the one after the last: "2026-11-09T05:00:00Z".
  std::string from(Period period) const;
  std::string to(Period period) const { return from(period + 1); }
  // In the zone. Whole days: the first and the last, "2026-11-09" and "2026-11-15". Otherwise
  // "2026-11-09 14:00" and "2026-11-09 15:00". Spreadsheets read both as dates.
  std::string begins(Period period) const;
  std::string ends(Period period) const;
  // "Nov 9–15, 2026", "Nov 9, 2026" or "Nov 9, 2026, 14:00–15:00".
  std::string text(Period period) const { return text(period, period); }
  // The same of all periods from the first to the last.
  std::string text(Period first, Period last) const;

 private:
  struct Local;
  Local local_of(Period first, Period last) const;

  Clock clock_ = {};
  TimeZone zone_ = {};
};

}  // namespace futurerand
