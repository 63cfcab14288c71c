// SeasonProtocol: a metric without an end over a simulated population. Each device draws a phase,
// takes part in the seasons of its phase as a new device, and rests in between. The estimate is the
// sum over live panels (estimator/panels.hpp).
//
// Estimates are the share of 1 among all devices, resting ones included, times the number of users.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// `settings.num_periods` counts periods of the one clock, from its first on. The plan is that of a
// season. Requires settings.num_users of at least 1. Fails for values with rows.
Result<std::unique_ptr<SimulatedProtocol>> make_season_protocol(Plan season,
                                                                const Calendar& calendar,
                                                                const ProtocolSettings& settings);

// Element t-1 is the share of 1 in period t among present devices, times the number of users. A
// number counts as its share of the range. Devices come and go by `churn`, or all are present
// throughout.
std::vector<double> true_shares(const Population& population, const Churn* churn,
                                const Workers& workers);

// How much noisier the step to the first period of a season is than other steps: the ratio of the
// standard deviations of the change in error from one period to the next, over all trials. Steps
// within the first cycle are left out.
double step_noise_ratio(const Calendar& calendar, const std::vector<double>& truth,
                        const std::vector<std::vector<double>>& estimates);

}  // namespace futurerand
