// `quiet`: the least noise if most reports carry no change. sparse.md.
#pragma once

#include <cstdint>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/law.hpp"

namespace futurerand {

// Returns the sparse law with the least noise, mean_square / gap^2, when at most this share of a
// device's reports carry a change. Requires max_changes in 1..128.
SparseLaw quiet(std::uint32_t max_changes, Epsilon epsilon, double changed_share);
// Returns `optimal`, or `quiet` if its noise is lower by a percent or more. Requires max_changes in
// 1..4096.
Law quietest(std::uint32_t max_changes, Epsilon epsilon, double changed_share);

}  // namespace futurerand
