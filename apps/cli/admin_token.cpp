#include "apps/cli/admin_token.hpp"

#include <fstream>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

constexpr std::size_t kMinCharacters = 8;
constexpr const char* kSpace = " \t\r";

}  // namespace

std::string read_admin_token(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    throw bad_input("cannot read the admin token from '" + path +
                    "'; expected a file whose first line is the token");
  }
  line.erase(line.find_last_not_of(kSpace) + 1);
  line.erase(0, line.find_first_not_of(kSpace));
  if (line.size() < kMinCharacters) {
    throw bad_input("the admin token in '" + path + "' is shorter than 8 characters");
  }
  return line;
}

}  // namespace futurerand::apps
