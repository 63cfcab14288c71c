// The plan inside a JSON document that was parsed already; see wire.hpp for the whole format.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/wire/json_object.hpp"

namespace futurerand {

Result<Plan> read_plan(const nlohmann::json& json);
std::string to_json(const Law& law);

// Reads the key "protocol" of a plan or of a request for a metric. Fails the object, and returns
// any protocol, if there is none of this name.
Protocol read_protocol(JsonObject& object);
// Reads the key "initial" the same way.
Initial read_initial(JsonObject& object);

}  // namespace futurerand
