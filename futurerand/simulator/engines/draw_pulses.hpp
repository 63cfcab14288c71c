// One user's pulses without a device around it, for the sums engine. A set of slots serves all
// reports of a device, so they cannot be drawn for many users at once.
#pragma once

#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/simulator/engines/view_reports.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

// Joins in period 1, in this view. Requires a plan of `pulse`, and a source without failures.
void draw_pulses(const CertifiedPlan& plan, std::uint32_t view, const Flips& flips,
                 RandomSource& source, ViewReports& reports);

}  // namespace futurerand
