// Target: the parts of a request's path and query: "/v1/metrics/a%20b?from=1" is {"v1", "metrics",
// "a b"} and {{"from", "1"}}. Empty parts of a path are ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace futurerand {

struct Target {
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query;

  // Returns the first value of this key.
  std::optional<std::string> find(std::string_view key) const;
};

// Returns nothing if it does not start with '/' or its percent signs are wrong.
std::optional<Target> parse_target(std::string_view target);

}  // namespace futurerand
