// GET /v1/plan?users=&periods=&changes=&epsilon=&target_error=&estimator=&drift=: what the command
// `plan` prints.
#pragma once

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/api/target.hpp"

namespace futurerand::apps {

ApiResponse plan_call(const Target& target);

}  // namespace futurerand::apps
