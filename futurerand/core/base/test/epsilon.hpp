// epsilon("0.5") in tests, where the text is known to be good.
#pragma once

#include "futurerand/core/base/epsilon.hpp"

namespace futurerand {

inline Epsilon epsilon(const char* text) { return *Epsilon::parse(text); }

}  // namespace futurerand
