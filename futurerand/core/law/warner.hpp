// `warner`: randomized response with epsilon / k on every change. [OWW22] example 4.2; warner.md.
#pragma once

#include <cstdint>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/shapes/product_law.hpp"

namespace futurerand {

// Requires max_changes >= 1. Also serves `repeated`, with one sign for every period.
ProductLaw warner(std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
