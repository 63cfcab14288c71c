// One user's innovation without a device around it, for the sums engine. The reports of one device
// are not independent of each other (one threshold for all of its noise), so they cannot be drawn
// for many users at once. But most of them are noise whatever the units are: only where they matter
// are any drawn.
#pragma once

#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/simulator/engines/view_reports.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

// Joins in period 1. Requires a plan of `innovation`, and a source that does not fail.
void draw_innovation(const CertifiedPlan& plan, const Flips& flips, RandomSource& source,
                     ViewReports& reports);

}  // namespace futurerand
