// The files of dashboard/, built into the binary by tools/embed.py.
#pragma once

#include "futurerand/collector/api/assets.hpp"

namespace futurerand::apps {

Assets page();

}  // namespace futurerand::apps
