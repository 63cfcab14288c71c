#include "futurerand/collector/api/route_table.hpp"

#include <algorithm>
#include <cstdlib>

namespace futurerand {
namespace {

std::string joined(const std::vector<std::string>& path, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < path.size(); ++i) text += (i == from ? "" : "/") + path[i];
  return text;
}

}  // namespace

CallHandler at_once(std::function<ApiResponse(const Call& call)> answer) {
  return [answer = std::move(answer)](const Call& call, const Respond& respond) {
    respond(answer(call));
  };
}

RouteTable::RouteTable(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    std::optional<Target> target = parse_target(routes_[i].pattern);
    if (!target) std::abort();
    auto pattern = std::find_if(patterns_.begin(), patterns_.end(),
                                [&](const Pattern& known) { return known.parts == target->path; });
    if (pattern == patterns_.end()) {
      pattern = patterns_.insert(patterns_.end(), {std::move(target->path), {}, {}});
    }
    pattern->routes.push_back(i);
    if (!pattern->allowed.empty()) pattern->allowed += ", ";
    pattern->allowed += routes_[i].method == "GET" ? "GET, HEAD" : routes_[i].method;
  }
}

std::optional<std::string> RouteTable::Pattern::match(const std::vector<std::string>& path) const {
  std::string argument;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].ends_with("...}")) return joined(path, i);
    if (i >= path.size()) return std::nullopt;
    if (parts[i].starts_with('{')) {
      argument += (argument.empty() ? "" : "#") + path[i];
    } else if (parts[i] != path[i]) {
      return std::nullopt;
    }
  }
  if (path.size() != parts.size()) return std::nullopt;
  return argument;
}

std::optional<RouteTable::Match> RouteTable::find(std::string_view method,
                                                  const std::vector<std::string>& path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Pattern& pattern : patterns_) {
    std::optional<std::string> argument = pattern.match(path);
    if (!argument) continue;
    Match match{nullptr, *std::move(argument), pattern.allowed};
    for (const std::size_t route : pattern.routes) {
      if (routes_[route].method == wanted) match.route = &routes_[route];
    }
    return match;
  }
  return std::nullopt;
}

}  // namespace futurerand
