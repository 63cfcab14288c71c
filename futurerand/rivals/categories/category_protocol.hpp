// CategoryProtocol: a rival for categories as the simulator runs it.
#pragma once

#include <vector>

#include "futurerand/rivals/categories/category_rival.hpp"

namespace futurerand {

// All rivals for categories, for the registry of protocols.
std::vector<ProtocolKind> category_rivals();

}  // namespace futurerand
