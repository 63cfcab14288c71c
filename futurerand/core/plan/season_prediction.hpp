// Predicts the error of a metric without an end, before any data, by closed forms in floating
// point. Nothing here decides privacy. All errors are those of the share of 1 among all devices,
// resting ones included, times the root of their number.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns the standard deviation of the mean share over `resolution` >= 1 periods in a row, where
// half of the devices hold 1 throughout. It has the noise, and the sampling error of panels: only
// some devices take part at a time. Of a metric of labels it is the error of one label's share.
// Requires a plan of `innovation` or `once` with calendar.season() periods.
double season_share_sd(const Plan& plan, const Calendar& calendar, Period resolution = 1);

// Returns the smallest K such that at most 2% of devices change more than K times in a season of so
// many periods, if each changes once in `change_every` periods on average (Poisson).
std::uint32_t changes_in_season(Period periods, double change_every);

// Returns a calendar for seasons of so many periods with a rest of at least `rest`: about six
// seasons are live at a time. Fails as Calendar::create does.
Result<Calendar> calendar_for(Period periods, Period rest);

}  // namespace futurerand
