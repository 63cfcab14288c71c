// The paper's estimate: the prefix 1..t as a sum of dyadic intervals, each scaled by (1 + log d)/c.
// [OWW22] Alg. 2. Reports that never came count as 0, as in the paper.
//
// Thread safety: pure.
#pragma once

#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// Each report that has arrived adds scale^2 to the variance. Without any the estimate is
// undetermined. Requires sums with one view an order, and the gap of their law.
Measurement dyadic_sum(const Sums& sums, double gap, Period t, double enrolled);

}  // namespace futurerand
