// The version of the program, from project() in the root's CMakeLists.txt.
#pragma once

#include <string_view>

namespace futurerand::apps {

inline constexpr std::string_view kVersion = FUTURERAND_VERSION;

}  // namespace futurerand::apps
