// Why the writer took nothing of a request, as an answer.
#pragma once

#include <optional>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

// Nothing if something was written, or if the request conflicts with what is there: the call says
// with what.
std::optional<ApiResponse> write_refusal(Written written);

}  // namespace futurerand
