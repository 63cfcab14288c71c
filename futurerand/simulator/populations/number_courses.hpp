// Numbers of simulated users over time: built-in courses, each drawn from a user's own source.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

// Each appends the values of one user, from period 1 on, and never moves further than max_changes
// times the range in all. Steps count from 0 on if the start is zero.
using DrawNumber = void (*)(PhiloxSource& source, const PopulationShape& shape, Values& values);

void draw_jumps(PhiloxSource& source, const PopulationShape& shape, Values& values);
void draw_drift(PhiloxSource& source, const PopulationShape& shape, Values& values);
void draw_saturated(PhiloxSource& source, const PopulationShape& shape, Values& values);
void draw_jitter(PhiloxSource& source, const PopulationShape& shape, Values& values);
void draw_constant_number(PhiloxSource& source, const PopulationShape& shape, Values& values);

}  // namespace futurerand
