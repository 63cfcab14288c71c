// The admin token of a collector, from the file that --admin-token-file names.
#pragma once

#include <string>

namespace futurerand::apps {

// Returns the first line of the file, without the white space around it (an editor may leave a
// carriage return), or nothing if there is no path. Throws Failure if the file cannot be read or
// its token is too short to keep anyone out.
std::string read_admin_token(const std::string& path);

}  // namespace futurerand::apps
