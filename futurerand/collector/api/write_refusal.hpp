// The writer's refusal of a whole request, as an answer.
#pragma once

#include <optional>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

// Empty if something was written, or if the request conflicts with existing data: the call
// describes the conflict.
std::optional<ApiResponse> write_refusal(Written written);

}  // namespace futurerand
