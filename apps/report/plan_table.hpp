// What `plan` prints for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "futurerand/study/over_changes.hpp"
#include "futurerand/study/season_plan.hpp"
#include "futurerand/study/value_plan.hpp"

namespace futurerand::apps {

// `over` is of the users in the file `values`, if there is one.
void print_plan_table(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                      const std::string& values, const std::optional<OverChanges>& over);

// Season lengths of a metric without an end.
void print_season_plan(const PlanQuestion& question, const SeasonPlan& plan);

// The same for a metric with labels or buckets.
void print_value_plan(const PlanQuestion& question, const ValuePlan& plan);

}  // namespace futurerand::apps
