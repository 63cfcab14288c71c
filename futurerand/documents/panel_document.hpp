// The figures of a season in an exported metric.
#pragma once

#include "futurerand/estimator/panel.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand {

// Puts the members "value", "variance", "devices" and "reports", arrays by period, and "rows" of a
// coding into an open object, and "segments" with the same for each segment.
void put_panel(JsonWriter& json, const Panel& panel);
// Reads them. What cannot be read shows in `object`. Whether they fit a plan is for whoever uses
// them to see.
Panel read_panel(JsonObject& object);

}  // namespace futurerand
