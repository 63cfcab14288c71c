// What the published estimates lose about one user if the reports are shuffled among all users.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// The central epsilon, at this delta, of a protocol that loses local_epsilon over a whole sequence
// (none: unbounded). Fails, saying why, where the bound of core/privacy/shuffle.hpp has nothing to
// say.
Result<double> published_epsilon(std::string_view protocol, Guarantee guarantee,
                                 std::optional<double> local_epsilon, std::uint64_t num_users,
                                 double delta);

}  // namespace futurerand
