// Tokens from files: secrets never stand on a command line, where others can read them.
#pragma once

#include <string>
#include <vector>

namespace futurerand::apps {

// One token a line, without the white space around it (an editor may leave a carriage return);
// empty lines and lines that begin with # are left out. Empty if there is no path. `kind` is for
// messages, which never have a token in them. Failure if the file cannot be read, has no token, or
// one that is too short to keep anyone out.
std::vector<std::string> read_tokens(const std::string& kind, const std::string& path);

// The first one: what a client shows. Empty if there is no path.
std::string read_token(const std::string& kind, const std::string& path);

}  // namespace futurerand::apps
