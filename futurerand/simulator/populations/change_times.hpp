// When simulated users change: distinct periods, every set of them equally likely.
#pragma once

#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

// Replaces `times` by `count` distinct periods of 1..num_periods in rising order, or by all of them
// if there are fewer.
void draw_change_times(PhiloxSource& source, Period count, Period num_periods, Flips& times);

}  // namespace futurerand
