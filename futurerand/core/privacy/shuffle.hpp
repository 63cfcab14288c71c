// Amplification by shuffling: the loss of the published estimates about one user if the reports of
// n users reach the server without ids and arrival times. The unit is a user's whole report
// sequence, drawn independently of all others. The shuffler is trusted.
//
// The "clones" bound: Feldman, McMillan, Talwar, "Hiding among the clones" (FOCS 2021), Thm. 3.1.
// It is computed in floating point and not certified: no device relies on it.
#pragma once

#include <cstdint>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// Returns the central (epsilon', delta) of n honest, local_epsilon-private users. Fails outside the
// bound's range: 0 < delta < 1 and local_epsilon <= ln(n / (16 ln(2 / delta))).
Result<double> shuffled_epsilon(double local_epsilon, std::uint64_t num_users, double delta);

}  // namespace futurerand
