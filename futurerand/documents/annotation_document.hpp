// The JSON of annotations: what an operator sends, and what readers get.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/wire/annotation.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

// Reads {"date":"2026-11-12","text":"Release 2.0"}. The date is a day in the metric's time zone, or
// an instant such as "2026-11-12T14:00:00Z". With "period":7 instead it is the first day of that
// period. Fails for a date outside the metric's time.
Result<Annotation> read_annotation(std::string_view body, const MetricDefinition& metric);

// Writes them as the member "annotations"; nothing if there are none.
void put_annotations(JsonWriter& json, const std::vector<Annotation>& annotations);
// Reads that member.
std::vector<Annotation> read_annotations(JsonObject& object);

}  // namespace futurerand
