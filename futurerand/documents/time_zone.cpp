#include "futurerand/documents/time_zone.hpp"

#include "futurerand/wire/metric.hpp"

namespace futurerand {

Result<TimeZone> TimeZone::load(const std::string& name) {
  absl::TimeZone zone;
  if (is_time_zone_name(name) && absl::LoadTimeZone(name, &zone)) return TimeZone(zone);
  return Error{"time_zone is '" + name +
               "'; expected a zone of the IANA database, such as \"Europe/Berlin\""};
}

std::chrono::sys_seconds TimeZone::midnight(std::chrono::year_month_day day) const {
  const absl::CivilSecond civil(static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                                static_cast<unsigned>(day.day()));
  const absl::TimeZone::TimeInfo info = zone_.At(civil);
  // A skipped midnight: the clock change is the first moment of the day.
  const bool skipped = info.kind == absl::TimeZone::TimeInfo::SKIPPED;
  return std::chrono::sys_seconds(
      std::chrono::seconds(absl::ToUnixSeconds(skipped ? info.trans : info.pre)));
}

std::chrono::local_seconds TimeZone::local(std::chrono::sys_seconds time) const {
  const absl::CivilSecond civil =
      zone_.At(absl::FromUnixSeconds(time.time_since_epoch().count())).cs;
  return std::chrono::local_seconds(
      std::chrono::seconds(civil - absl::CivilSecond(1970, 1, 1, 0, 0, 0)));
}

Result<std::chrono::sys_seconds> midnight_in(const std::string& zone,
                                             std::chrono::year_month_day day) {
  const Result<TimeZone> loaded = TimeZone::load(zone);
  if (!loaded) return loaded.error();
  return loaded->midnight(day);
}

}  // namespace futurerand
