// Reads a whole file.
#pragma once

#include <string>

namespace futurerand::apps {

// Throws bad_input, naming the path, if it cannot be read, and as stop_if_interrupted() does.
std::string read_file(const std::string& path);

}  // namespace futurerand::apps
