// The text of openapi.yaml, the description of every call: GET /v1/openapi.yaml.
#pragma once

#include <string_view>

namespace futurerand {

extern const std::string_view kOpenApi;

}  // namespace futurerand
