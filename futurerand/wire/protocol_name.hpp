// The key "protocol", which plans and requests for metrics have.
#pragma once

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/wire/json_object.hpp"

namespace futurerand {

// Returns the protocol that the object names; it is an error of the object's if there is none of
// this name.
Protocol read_protocol(JsonObject& object);

}  // namespace futurerand
