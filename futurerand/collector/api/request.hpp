// ApiRequest: a request as the API sees it, without a socket, so that the API is tested and fuzzed
// without any.
#pragma once

#include <string>

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
};

}  // namespace futurerand
