// The text of openapi.yaml, which describes every call: GET /v1/openapi.yaml.
#pragma once

#include <string_view>

namespace futurerand {

extern const std::string_view kOpenApi;

}  // namespace futurerand
