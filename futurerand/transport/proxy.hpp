// The proxy to a server: $HTTPS_PROXY and $NO_PROXY, as in curl.
//
// Thread safety: pure functions, except that the environment is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct ProxyAddress {
  std::string host;
  std::uint16_t port = 0;
  std::string authorization;  // for "Basic"; empty: none

  // [http://][USER:PASSWORD@]HOST[:PORT]; the port is 1080 if none is given.
  static Result<ProxyAddress> parse(std::string_view url);
};

// True if the list, "example.com,.internal,10.0.0.1" or "*", names this host or a domain of it.
bool is_excepted(std::string_view host, std::string_view list);

// Returns $HTTPS_PROXY, or $https_proxy; empty if there is none, or $NO_PROXY names the host.
std::string proxy_from_environment(std::string_view host);

}  // namespace futurerand
