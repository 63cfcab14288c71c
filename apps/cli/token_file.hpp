// Tokens from files: a secret on a command line would be visible to others.
#pragma once

#include <string>
#include <vector>

namespace futurerand::apps {

// One token a line, without the white space around it (an editor may leave a carriage return).
// Empty lines and lines with a leading # are left out. Empty without a path. `kind` is for
// messages; they never contain a token. Failure if the file cannot be read, has no token, or a
// token too short for any protection.
std::vector<std::string> read_tokens(const std::string& kind, const std::string& path);

// The first one, for a client. Empty without a path.
std::string read_token(const std::string& kind, const std::string& path);

}  // namespace futurerand::apps
