// AdminToken: the secret that creating metrics and moving clocks takes.
#pragma once

#include <optional>
#include <string>

#include "futurerand/collector/api/request.hpp"
#include "futurerand/collector/api/response.hpp"

namespace futurerand {

class AdminToken {
 public:
  // An empty token is nobody's: then no request is the admin's.
  explicit AdminToken(std::string token) : token_(std::move(token)) {}

  // The refusal of a request that is not the admin's; nothing if it is.
  std::optional<ApiResponse> refuse_stranger(const ApiRequest& request) const;

 private:
  std::string token_;
};

}  // namespace futurerand
