// epsilon("0.5") for tests. The text must be valid.
#pragma once

#include "futurerand/core/base/epsilon.hpp"

namespace futurerand {

inline Epsilon epsilon(const char* text) { return *Epsilon::parse(text); }

}  // namespace futurerand
