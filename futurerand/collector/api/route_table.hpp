// RouteTable: finds the call of a request. A call of the HTTP API is one row. The table also lists
// the methods of a path, and all calls.
//
// Thread safety: never changes once it is made.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/api/access_tokens.hpp"
#include "futurerand/collector/api/request.hpp"
#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/api/target.hpp"

namespace futurerand {

// A request found in the table.
struct Call {
  ApiRequest request;
  Target target;
  // The parts of the path at {...} of the pattern. Two parts are joined by '#', as in the name of a
  // season (wire/metric.hpp).
  std::string argument;
};

using CallHandler = std::function<void(Call call, Respond respond)>;
// Makes a handler of immediate answers.
CallHandler at_once(std::function<ApiResponse(const Call& call)> answer);

struct Route {
  std::string method;   // GET answers HEAD as well
  std::string pattern;  // "/v1/metrics/{name}"; a last part {file...} takes the rest of a path
  Access access = Access::kAnyone;
  CallHandler handle;
};

class RouteTable {
 public:
  // Rows in the order of matching. Rows of the same pattern are one path.
  explicit RouteTable(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;  // null if the path has no such method
    std::string argument;
    std::string_view allowed;  // the methods of the path
  };
  // Nothing if no row has this path.
  std::optional<Match> find(std::string_view method, const std::vector<std::string>& path) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Pattern {
    std::vector<std::string> parts;
    std::vector<std::size_t> routes;
    std::string allowed;

    std::optional<std::string> match(const std::vector<std::string>& path) const;
  };

  std::vector<Route> routes_;
  std::vector<Pattern> patterns_;
};

}  // namespace futurerand
