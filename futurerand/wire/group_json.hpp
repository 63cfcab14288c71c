// A group of metrics as JSON: {"name":"settings","shares":{"dark-mode":1,"sync":1,"beta":2}}.
//
// Thread safety: pure functions.
#pragma once

#include "futurerand/core/plan/metric_group.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand {

// Reads the key "group". Fails in `object` unless the group has the metric of this name, or that of
// a season.
std::optional<MetricGroup> read_group(JsonObject& object, const std::string& metric);

void put_group(JsonWriter& json, const MetricGroup& group);

}  // namespace futurerand
