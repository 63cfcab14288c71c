// `future_rand`: the paper's law with the paper's constants. [OWW22] section 5.2; future_rand.md.
#pragma once

#include <cstdint>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/shapes/annulus_law.hpp"

namespace futurerand {

// Requires max_changes in 1..4096. The paper proves epsilon-privacy of the law for epsilon <= 1.
// Beyond 1 only a certificate gives its loss.
AnnulusLaw future_rand(std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
