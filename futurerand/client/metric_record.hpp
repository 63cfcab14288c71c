// The name of the record that a store has of a metric's state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace futurerand {

// The name is a hash, so that any metric's name is a file name on any system.
std::string metric_record(std::string_view metric);
// A metric without an end has two records, because the last reports of one season may wait while
// the next season runs. Seasons take them in turn. `slot` is 0 or 1.
std::string season_record(std::string_view metric, std::uint32_t slot);
bool is_metric_record(std::string_view record);

}  // namespace futurerand
