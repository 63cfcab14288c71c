// The tables of presence in an exported metric: sums over devices, nothing of single ones.
#pragma once

#include <vector>

#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand {

// Puts an array with an object for each stratum.
void put_presence_tables(JsonWriter& json, const std::vector<PresenceTable>& tables);
// Reads it. What cannot be read shows in `object`. Whether the tables fit the plan is for whoever
// uses them to see.
std::vector<PresenceTable> read_presence_tables(JsonObject& object, std::string_view key);

}  // namespace futurerand
