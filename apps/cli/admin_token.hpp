// A client's admin token, from the file of --admin-token-file.
#pragma once

#include <string>

#include "apps/cli/token_file.hpp"

namespace futurerand::apps {

// Returns the newest one of the file, or nothing if there is no path. Throws Failure.
inline std::string read_admin_token(const std::string& path) { return read_token("admin", path); }

}  // namespace futurerand::apps
