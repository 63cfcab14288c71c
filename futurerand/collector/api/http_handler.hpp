// HttpHandler: the handler behind a server.
#pragma once

#include "futurerand/collector/api/request.hpp"
#include "futurerand/collector/api/response.hpp"

namespace futurerand {

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // It may be called from any thread.
  virtual void handle(ApiRequest request, Respond respond) = 0;
};

}  // namespace futurerand
