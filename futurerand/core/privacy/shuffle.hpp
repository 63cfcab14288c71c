// Amplification by shuffling: what the published estimates lose about one user if the reports of n
// users reach the server without ids and arrival times. The unit is a user's whole report sequence,
// each drawn without regard to the others'; whoever shuffles is trusted for it.
//
// The "clones" bound: Feldman, McMillan, Talwar, "Hiding among the clones" (FOCS 2021), Thm. 3.1.
// It is computed in floating point: no device relies on this statement about what is published.
#pragma once

#include <cstdint>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// Returns the central (epsilon', delta) of n honest users who each are local_epsilon-private. Fails
// outside the bound's range: 0 < delta < 1 and local_epsilon <= ln(n / (16 ln(2 / delta))).
Result<double> shuffled_epsilon(double local_epsilon, std::uint64_t num_users, double delta);

}  // namespace futurerand
