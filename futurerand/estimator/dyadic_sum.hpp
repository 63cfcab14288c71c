// The paper's estimate: the prefix 1..t as a sum of dyadic intervals, each scaled by (1 + log d)/c.
// [OWW22] Alg. 2. Reports that never came count as 0, as in the paper.
//
// Thread safety: pure.
#pragma once

#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// The variance is from the reports that are in: each adds scale^2. Undetermined if none is.
// Requires sums with one view an order, and the gap of their law.
Measurement dyadic_sum(const Sums& sums, double gap, Period t, double enrolled);

}  // namespace futurerand
