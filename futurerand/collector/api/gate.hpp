// Gate: which hosts and web pages a collector answers to. A page of another site makes its readers'
// browsers send requests; those carry the site as Origin, and are refused unless it is listed.
//
// Thread safety: never changes once it is made.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/api/request.hpp"
#include "futurerand/collector/api/response.hpp"

namespace futurerand {

struct GateOptions {
  std::vector<std::string> hosts;    // names that Host may have, without a port; none: any
  std::vector<std::string> origins;  // "https://example.org"; pages of the collector always may
};

class Gate {
 public:
  explicit Gate(GateOptions options) : options_(std::move(options)) {}

  enum class Verdict { kEnter, kWrongHost, kWrongOrigin };
  Verdict judge(const ApiRequest& request) const;
  // The answer to a browser that asks whether it may (a CORS preflight); nothing if it does not.
  std::optional<ApiResponse> preflight(const ApiRequest& request) const;
  // Tells the browser that this origin may read the answer, if it is listed.
  void allow(const ApiRequest& request, ApiResponse& response) const;

 private:
  bool lists(const std::string& origin) const;

  const GateOptions options_;
};

// "https://example.org", with a port or without, and nothing behind it.
bool is_origin(std::string_view text);

}  // namespace futurerand
