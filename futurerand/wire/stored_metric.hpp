// A metric's definition as the log and checkpoints keep it. The plan is kept as it was made,
// whatever a later version would make of the same request.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

std::string to_stored_text(const MetricDefinition& metric);
Result<MetricDefinition> parse_stored_metric(std::string_view text);

}  // namespace futurerand
