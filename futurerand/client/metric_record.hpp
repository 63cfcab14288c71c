// The name of the record that a store has of a metric's state.
#pragma once

#include <string>
#include <string_view>

namespace futurerand {

// The name is a hash, so that any metric's name is a file name on any system.
std::string metric_record(std::string_view metric);
bool is_metric_record(std::string_view record);

}  // namespace futurerand
