// The plan inside a JSON document that was parsed already; see wire.hpp for the whole format.
#pragma once

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

Result<Plan> read_plan(const nlohmann::json& json);

}  // namespace futurerand
