// The JSON form of segments: the object "segment" of a plan and of a request for a metric. A plan
// without segments has no such object.
//
//   {"name":"platform","values":["linux","mac","windows","other"]}
#pragma once

#include <string>

#include "futurerand/core/plan/segments.hpp"
#include "futurerand/wire/json_object.hpp"

namespace futurerand {

std::string to_json(const Segments& segments);

// Reads the key "segment"; none if there is no such key. Fails the object if it is no attribute.
Segments read_segment_key(JsonObject& object);

}  // namespace futurerand
