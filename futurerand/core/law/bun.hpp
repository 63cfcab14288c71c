// `bun`: the composed randomizer of [BNS19] as [OWW22] uses it. bun.md.
#pragma once

#include <cstdint>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/shapes/annulus_law.hpp"

namespace futurerand {

// Requires max_changes in 1..4096 and epsilon <= 1.
AnnulusLaw bun(std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
