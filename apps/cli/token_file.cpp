#include "apps/cli/token_file.hpp"

#include <algorithm>
#include <fstream>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

constexpr std::size_t kMinCharacters = 16;
constexpr const char* kSpace = " \t\r";

}  // namespace

std::vector<std::string> read_tokens(const std::string& kind, const std::string& path) {
  std::vector<std::string> tokens;
  if (path.empty()) return tokens;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line.erase(line.find_last_not_of(kSpace) + 1);
    line.erase(0, line.find_first_not_of(kSpace));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.size() < kMinCharacters) {
      throw bad_input("a token in '" + path + "' has " + std::to_string(line.size()) +
                      " characters; expected at least " + std::to_string(kMinCharacters));
    }
    // Other characters cannot be in a header, so such a token would never match.
    if (!std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; })) {
      throw bad_input("a token in '" + path + "' has characters other than printable ASCII");
    }
    tokens.push_back(std::move(line));
  }
  if (tokens.empty()) {
    throw bad_input("cannot read the " + kind + " token from '" + path +
                    "'; expected a file with a token in each line");
  }
  return tokens;
}

std::string read_token(const std::string& kind, const std::string& path) {
  return path.empty() ? "" : read_tokens(kind, path).front();
}

}  // namespace futurerand::apps
