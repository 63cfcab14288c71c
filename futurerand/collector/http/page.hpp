// The page at '/', built into the binary from the folder FUTURERAND_PAGE (cmake/embed.cmake).
#pragma once

#include "futurerand/collector/api/assets.hpp"

namespace futurerand {

Assets page_assets();

}  // namespace futurerand
