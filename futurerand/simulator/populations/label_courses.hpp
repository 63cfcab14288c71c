// Labels or buckets of simulated users over time: built-in courses of codes, each drawn from a
// user's own source.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

// Each appends the codes of one user, from period 1 on, with at most max_changes changes after it.
using DrawCode = void (*)(PhiloxSource& source, const PopulationShape& shape, Values& values);

// Exactly max_changes changes (as many as fit), at periods drawn uniformly, each to another label
// drawn uniformly.
void draw_label_changes(PhiloxSource& source, const PopulationShape& shape, Values& values);
void draw_constant_label(PhiloxSource& source, const PopulationShape& shape, Values& values);
// The same number of changes, each by at most an eighth of the buckets.
void draw_small_moves(PhiloxSource& source, const PopulationShape& shape, Values& values);

}  // namespace futurerand
