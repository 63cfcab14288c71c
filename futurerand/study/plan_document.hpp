// The document of `plan --format json`, for every other place that shows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "futurerand/study/over_changes.hpp"
#include "futurerand/study/plan_rows.hpp"
#include "futurerand/study/season_plan.hpp"
#include "futurerand/study/segment_plan.hpp"
#include "futurerand/study/value_plan.hpp"

namespace futurerand {

// `over` is of the users of a file, if there is one. `values` is of a metric with labels or
// buckets. `seasons` is of a metric without an end. `segments` is of one with segments.
std::string plan_document(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                          const std::optional<OverChanges>& over = {},
                          const std::optional<ValuePlan>& values = {},
                          const std::optional<SeasonPlan>& seasons = {},
                          const std::optional<SegmentPlan>& segments = {});

}  // namespace futurerand
