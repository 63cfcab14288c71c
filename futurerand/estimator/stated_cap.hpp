// What must be said beside figures of devices that are clipped (device_estimate.hpp).
//
// Thread safety: a pure function.
#pragma once

#include <optional>

#include "futurerand/estimator/estimand.hpp"
#include "futurerand/estimator/presence/presence.hpp"

namespace futurerand {

// By how many devices the count of a period that counts so many is wrong at most because of it,
// where all of them are honest. None where figures of this estimand and estimator are not cut off:
// without limits, or who is there (null), and where they are no sums of single devices.
std::optional<double> cap_bias(const Presence* presence, Estimand estimand, EstimatorKind kind,
                               Period period, double devices);

}  // namespace futurerand
