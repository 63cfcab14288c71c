// The page at '/': the files of dashboard/, built into futurerand_page by tools/embed.py.
#pragma once

#include "futurerand/collector/api/assets.hpp"

namespace futurerand {

Assets page_assets();

}  // namespace futurerand
