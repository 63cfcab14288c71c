// ApiRequest: a request to the API, without a socket, so the API can be tested and fuzzed without
// one.
#pragma once

#include <string>

#include "futurerand/collector/api/address.hpp"

namespace futurerand {

struct ApiRequest {
  std::string method = {};
  std::string target = {};  // path and query as received
  std::string body = {};    // as received: maybe compressed
  std::string authorization = {};
  std::string accept = {};
  std::string content_encoding = {};
  std::string accept_encoding = {};
  std::string if_none_match = {};
  std::string host = {};
  std::string origin = {};            // of the web page behind a browser's request
  std::string requested_method = {};  // of a preflight: Access-Control-Request-Method
  Address address = {};               // of the sender
};

}  // namespace futurerand
