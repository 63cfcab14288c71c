// RouteTable: which call a request is. A call of the HTTP API is one row; the table finds it, and
// knows which methods a path has and which calls there are.
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

// A request that was found in the table.
struct Call {
  ApiRequest request;
  Target target;
  // What the path has where the pattern has {...}. Two of them are joined by '#', which is how a
  // season is named (wire/metric.hpp).
  std::string argument;
};

using CallHandler = std::function<void(Call call, Respond respond)>;
// This makes a handler of calls that are answered at once.
CallHandler at_once(std::function<ApiResponse(const Call& call)> answer);

struct Route {
  std::string method;   // GET answers HEAD as well
  std::string pattern;  // "/v1/metrics/{name}"; a last part {file...} takes the rest of a path
  Access access = Access::kAnyone;
  CallHandler handle;
};

class RouteTable {
 public:
  // Rows in the order in which they are tried. Rows of the same pattern are one path.
  explicit RouteTable(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;  // null if the path has no such method
    std::string argument;
    std::string_view allowed;  // the methods that the path has: "GET, HEAD, PUT"
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
