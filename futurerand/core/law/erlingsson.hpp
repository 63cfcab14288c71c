// `erlingsson`: only one change, drawn beforehand, is kept. erlingsson.md.
#pragma once

#include <cstdint>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/shapes/single_law.hpp"

namespace futurerand {

// Requires max_changes in 1..4096.
SingleLaw erlingsson(std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
