// The output of `plan` for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "futurerand/study/group_plan.hpp"
#include "futurerand/study/over_changes.hpp"
#include "futurerand/study/season_plan.hpp"
#include "futurerand/study/segment_plan.hpp"
#include "futurerand/study/value_plan.hpp"

namespace futurerand::apps {

// `over` is of the users in the file `values`, if there is one. `central` adds the central epsilon
// of published estimates, which assumes a shuffler.
void print_plan_table(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                      const std::string& values, const std::optional<OverChanges>& over,
                      bool central);

// Season lengths of a metric without an end.
void print_season_plan(const PlanQuestion& question, const SeasonPlan& plan);

// Several metrics under one budget.
void print_group_plan(const GroupQuestion& question, const GroupPlan& plan);

// The same for a metric with labels or buckets.
void print_value_plan(const PlanQuestion& question, const ValuePlan& plan);

// The segments of a metric. `protocol` is the one to deploy.
void print_segment_plan(const PlanQuestion& question, const SegmentPlan& plan,
                        const std::string& protocol);

}  // namespace futurerand::apps
