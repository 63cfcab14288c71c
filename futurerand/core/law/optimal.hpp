// `optimal`: the largest gap of all symmetric laws within epsilon. optimal.md.
#pragma once

#include <cstdint>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/shapes/threshold_law.hpp"

namespace futurerand {

// Requires max_changes in 1..4096.
ThresholdLaw optimal(std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
