// Gate: the hosts and web pages accepted by a collector. A page of another site makes its readers'
// browsers send requests. These carry the site as Origin, and are rejected unless it is listed.
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
  std::vector<std::string> hosts;    // accepted values of Host, without a port; none: any
  std::vector<std::string> origins;  // "https://example.org"; pages of the collector always may
};

class Gate {
 public:
  explicit Gate(GateOptions options) : options_(std::move(options)) {}

  enum class Verdict { kEnter, kWrongHost, kWrongOrigin };
  Verdict judge(const ApiRequest& request) const;
  // The answer to a CORS preflight; nothing for other requests.
  std::optional<ApiResponse> preflight(const ApiRequest& request) const;
  // Allows a listed origin to read the answer.
  void allow(const ApiRequest& request, ApiResponse& response) const;

 private:
  bool lists(const std::string& origin) const;

  const GateOptions options_;
};

// True for "https://example.org", with or without a port, and nothing behind it.
bool is_origin(std::string_view text);

}  // namespace futurerand
