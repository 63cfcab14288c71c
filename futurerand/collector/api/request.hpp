// ApiRequest: a request as the API sees it, without a socket, so that the API is tested and fuzzed
// without any.
#pragma once

#include <string>

#include "futurerand/collector/api/address.hpp"

namespace futurerand {

struct ApiRequest {
  std::string method = {};
  std::string target = {};  // path and query as they came
  std::string body = {};    // as it came: maybe compressed
  std::string authorization = {};
  std::string accept = {};
  std::string content_encoding = {};
  std::string accept_encoding = {};
  std::string if_none_match = {};
  std::string host = {};
  std::string origin = {};            // of the web page that makes a browser send it
  std::string requested_method = {};  // of a preflight: Access-Control-Request-Method
  Address address = {};               // of whoever sent it
};

}  // namespace futurerand
