// The paper's estimate: the prefix 1..t as a sum of dyadic intervals, each scaled by (1 + log d)/c.
// [OWW22] Alg. 2. In the paper everyone reports; here reports that never came are taken to be as
// those that did, interval by interval: missing, and not 0.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

// How many devices of each view had joined by each period: element [view][t-1].
using JoinedByView = std::vector<std::vector<std::uint64_t>>;

// Undetermined if an interval has devices and no reports. Requires sums with one view an order, the
// gap of their law, and who had joined by t.
Measurement dyadic_sum(const Sums& sums, double gap, Period t, const JoinedByView& joined);

}  // namespace futurerand
